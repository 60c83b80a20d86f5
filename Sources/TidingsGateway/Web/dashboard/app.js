// The page: sign-in, navigation, and the screen that the address names (`#/records`).

import { accept, currentSession, decline, hasRole, nameOf, renew, resume, signIn, signOut, watchSession } from '/dashboard/server.js';
import { confirm } from '/dashboard/dialog.js';
import { View, button, field, fill, h, notify, select } from '/dashboard/element.js';
import { moveTo, chosen } from '/dashboard/location.js';
import { auditScreen } from '/dashboard/audit.js';
import { clusterScreen } from '/dashboard/cluster.js';
import { deliveriesScreen } from '/dashboard/deliveries.js';
import { liveScreen } from '/dashboard/live.js';
import { metricsScreen } from '/dashboard/metrics.js';
import { notificationsScreen } from '/dashboard/notifications.js';
import { recordsScreen } from '/dashboard/records.js';
import { schemaScreen } from '/dashboard/schema.js';
import { sharesScreen } from '/dashboard/shares.js';
import { subscriptionsScreen } from '/dashboard/subscriptions.js';
import { tokensScreen } from '/dashboard/tokens.js';
import { usersScreen } from '/dashboard/users.js';
import { zonesScreen } from '/dashboard/zones.js';

/** The screens, in the order of the navigation; those of administrators are hidden from others, whom the server refuses. */
const screens = [
  { path: 'records', title: 'Records', make: recordsScreen },
  { path: 'zones', title: 'Zones', make: zonesScreen },
  { path: 'shares', title: 'Shares', make: sharesScreen },
  { path: 'schema', title: 'Schema', make: schemaScreen },
  { path: 'subscriptions', title: 'Subscriptions', make: subscriptionsScreen },
  { path: 'notifications', title: 'Notifications', make: notificationsScreen },
  { path: 'live', title: 'Live view', make: liveScreen },
  { path: 'deliveries', title: 'Deliveries', make: deliveriesScreen },
  { path: 'users', title: 'Users', make: usersScreen, needsAdmin: true },
  { path: 'web-tokens', title: 'Web tokens', make: tokensScreen, needsAdmin: true },
  { path: 'audit', title: 'Audit log', make: auditScreen, needsAdmin: true },
  { path: 'cluster', title: 'Cluster', make: clusterScreen, needsAdmin: true },
  { path: 'metrics', title: 'Metrics', make: metricsScreen, needsAdmin: true },
];

/** A session ends after 30 minutes without this. */
const renewMilliseconds = 10 * 60_000;

const themeKey = 'tidings-theme';

/** That of a link of `rpcctl dashboard`, which may be opened in a tab that has the page already. */
const signInToken = () => location.hash.match(/^#\/sign-in\/([A-Za-z0-9_-]+)$/)?.[1];

const rolesOf = ({ isDevelopment, roles }) => (isDevelopment ? 'development mode: all roles' : roles.join(', ') || 'no roles');

function setTheme(name) {
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  localStorage.setItem(themeKey, name);
}

class App extends View {
  #main = h('main', { id: 'main', tabIndex: -1 });
  #shown;

  async render() {
    setTheme(localStorage.getItem(themeKey) ?? 'system');
    addEventListener('hashchange', () => (signInToken() ? this.#begin() : this.#route()));
    await this.#begin();
    this.atEnd(watchSession((session) => this.#layOut(session)));
    setInterval(() => {
      if (currentSession() && !document.hidden) renew().catch((error) => notify(error.message, 'error'));
    }, renewMilliseconds);
  }

  /** Redeems the link that was opened, or finds the session of the browser. */
  async #begin() {
    const token = signInToken();
    this.failure = undefined;
    if (token) history.replaceState(null, '', '/#/records');
    try {
      const offered = await (token ? signIn(token) : resume());
      if (offered) this.#ask(offered);
    } catch (error) {
      this.failure = error.message;
      await resume().catch(() => {});
    }
  }

  /** Asks whether the session becomes that of a link, which anybody can have put in the user's way. */
  async #ask(offered) {
    const session = currentSession() ?? {};
    const [from, to, roles] = [nameOf(session), nameOf(offered), rolesOf({ ...session, ...offered })];
    const isAccepted = await confirm(`Sign in as ${to}?`, [
      h('p', {}, `You are signed in as ${from}. The link that was opened is one of ${to} (${roles}).`),
      h('p', {}, `Then your session ends, and what you do is done as ${to}.`)], 'Sign in');
    try {
      await (isAccepted ? accept : decline)(offered.offer);
    } catch (error) {
      // An offer that is not taken ends by itself.
      if (isAccepted) notify(error.message, 'error');
    }
  }

  #layOut(session) {
    this.#shown = undefined;
    if (!session) {
      fill(this, h('main.sign-in', {}, h('h1', {}, 'Tidings'),
        this.failure && h('p.message.error', { role: 'alert' }, this.failure),
        h('p', {}, 'Sign in with the command'), h('pre', {}, 'rpcctl dashboard'),
        h('p', {}, 'It opens a link that is good once, for 2 minutes, with the rights of its caller.')));
      return;
    }
    fill(this,
      h('a.skip', { href: '#main', onclick: (event) => { event.preventDefault(); this.#main.focus(); } }, 'Skip to content'),
      h('header.top', {}, h('a.brand', { href: '#/records' }, 'Tidings'),
        h('span.actor', { id: 'actor' }, h('strong', {}, nameOf(session)), ` (${rolesOf(session)})`),
        select([['system', 'System theme'], ['light', 'Light'], ['dark', 'Dark']], localStorage.getItem(themeKey),
          { 'aria-label': 'Theme', onchange: (event) => setTheme(event.target.value) }),
        button('Sign out', async () => {
          await signOut();
          this.failure = undefined;
        })),
      h('nav', { 'aria-label': 'Screens' }, h('ul', {}, screens
        .filter((screen) => !screen.needsAdmin || hasRole('admin'))
        .map((screen) => h('li', {}, h('a', { href: `#/${screen.path}` }, screen.title))))),
      this.#placeForm(),
      h('div', { id: 'messages' }),
      this.#main);
    this.#route();
    if (this.failure) notify(this.failure, 'error');
  }

  /** Container, environment and database, which all screens look at. */
  #placeForm() {
    const container = h('input', { value: chosen.container, autocomplete: 'off', spellcheck: false });
    const environment = select([['DEVELOPMENT', 'development'], ['PRODUCTION', 'production']], chosen.environment);
    const scope = select([['PRIVATE', 'private'], ['SHARED', 'shared'], ['PUBLIC', 'public']], chosen.scope);
    const apply = () => {
      const change = { container: container.value.trim() || 'default', environment: environment.value, scope: scope.value };
      if (Object.keys(change).every((key) => change[key] === chosen[key])) return;
      moveTo({ ...change, zone: '', owner: '' });
      this.#route(true);
    };
    return h('form.place', {
      onsubmit: (event) => { event.preventDefault(); apply(); }, onchange: apply, 'aria-label': 'Location',
    }, field('Container', container), field('Environment', environment), field('Database', scope));
  }

  #route(isNewLocation = false) {
    if (!currentSession()) return;
    const path = location.hash.replace(/^#\//, '').split('/')[0] || 'records';
    const screen = screens.find((screen) => screen.path === path) ?? screens[0];
    for (const link of this.querySelectorAll('nav a')) {
      if (link.getAttribute('href') === `#/${screen.path}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (this.#shown === screen && !isNewLocation) return;
    const hadScreen = this.#shown !== undefined;
    this.#shown = screen;
    document.title = `${screen.title} – Tidings`;
    notify('');
    fill(this.#main, h('h1', {}, screen.title), screen.make());
    if (hadScreen && !isNewLocation) {
      this.#main.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }
}

customElements.define('tidings-app', App);
