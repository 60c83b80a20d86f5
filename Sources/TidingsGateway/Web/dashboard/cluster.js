// The nodes of the database, and the connections of the one that was called.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, show } from '/dashboard/element.js';
import { bytes, number, time, words } from '/dashboard/format.js';
import { fixedGrid, grid } from '/dashboard/grid.js';

class ClusterScreen extends View {
  render() {
    const nodes = h('div');
    const load = () => show(nodes, () => call('AdminService/FetchClusterStatus'), (status) => [
      h('p', {}, status.term === '0' ? 'The database is embedded, and has one server.'
        : `Term ${number(status.term)}, data format ${number(status.dataFormat)}, ${number(status.groupsRunAgain)} groups of calls run again.`),
      fixedGrid('Nodes', [
        { title: 'Node', cell: (node) => node.name + (node.isCalled ? ' (called)' : '') },
        { title: 'Role', cell: (node) => words(node.role, 'NODE_ROLE_') },
        { title: 'Version', cell: (node) => node.version },
        { title: 'Data format', numeric: true, cell: (node) => number(node.dataFormat) },
        { title: 'Calls', cell: (node) => node.rpcEndpoint },
        { title: 'Pushes', cell: (node) => node.pushEndpoint },
        { title: 'Behind', numeric: true, cell: (node) => number(node.publicationsBehind) },
        { title: 'Silent for', numeric: true, cell: (node) => `${number(node.silentMilliseconds)} ms` },
      ], status.nodes, { emptyText: 'No other nodes.' }),
    ]);
    const user = h('input', { autocomplete: 'off' });
    const connections = grid({
      label: 'Connections', emptyText: 'No connections.',
      columns: [
        { title: 'Number', numeric: true, cell: (one) => number(one.number) },
        { title: 'User', cell: (one) => one.userName || 'guest' },
        { title: 'Device', cell: (one) => one.deviceId },
        { title: 'Since', cell: (one) => time(one.since) },
        { title: 'Open calls', numeric: true, cell: (one) => number(one.callsOpen) },
        { title: 'Held', numeric: true, cell: (one) => bytes(one.bytesHeld) },
        { title: 'Topics', numeric: true, cell: (one) => (one.isSubscriber ? number(one.topics) : '') },
      ],
      load: async (cursor) => {
        const page = await call('AdminService/ListConnections', { userName: user.value.trim(), after: cursor ?? '0', limit: 100 });
        return { items: page.connections, cursor: page.moreComing ? page.connections.at(-1)?.number : undefined };
      },
    });
    fill(this, h('h2', {}, 'Nodes'), nodes, h('h2', {}, 'Connections'),
      h('form.bar', { onsubmit: (event) => { event.preventDefault(); connections.reload(); } },
        field('User', user), h('button', { type: 'submit' }, 'Show'), button('Reload', () => Promise.all([load(), connections.reload()]))), connections);
    load();
  }
}

export const clusterScreen = define('tidings-cluster', ClusterScreen);
