#include "web_files.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// A literal of 300 KB takes the Swift compiler half a minute, and clang no time.

static const unsigned char app_js[] = {
#embed "../TidingsGateway/Web/dashboard/app.js"
};
static const unsigned char audit_js[] = {
#embed "../TidingsGateway/Web/dashboard/audit.js"
};
static const unsigned char chart_js[] = {
#embed "../TidingsGateway/Web/dashboard/chart.js"
};
static const unsigned char cluster_js[] = {
#embed "../TidingsGateway/Web/dashboard/cluster.js"
};
static const unsigned char conflict_js[] = {
#embed "../TidingsGateway/Web/dashboard/conflict.js"
};
static const unsigned char dashboard_css[] = {
#embed "../TidingsGateway/Web/dashboard/dashboard.css"
};
static const unsigned char deliveries_js[] = {
#embed "../TidingsGateway/Web/dashboard/deliveries.js"
};
static const unsigned char dialog_js[] = {
#embed "../TidingsGateway/Web/dashboard/dialog.js"
};
static const unsigned char editors_js[] = {
#embed "../TidingsGateway/Web/dashboard/editors.js"
};
static const unsigned char element_js[] = {
#embed "../TidingsGateway/Web/dashboard/element.js"
};
static const unsigned char format_js[] = {
#embed "../TidingsGateway/Web/dashboard/format.js"
};
static const unsigned char grid_js[] = {
#embed "../TidingsGateway/Web/dashboard/grid.js"
};
static const unsigned char icon_svg[] = {
#embed "../TidingsGateway/Web/dashboard/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../TidingsGateway/Web/dashboard/index.html"
};
static const unsigned char live_js[] = {
#embed "../TidingsGateway/Web/dashboard/live.js"
};
static const unsigned char location_js[] = {
#embed "../TidingsGateway/Web/dashboard/location.js"
};
static const unsigned char metrics_js[] = {
#embed "../TidingsGateway/Web/dashboard/metrics.js"
};
static const unsigned char notifications_js[] = {
#embed "../TidingsGateway/Web/dashboard/notifications.js"
};
static const unsigned char predicate_js[] = {
#embed "../TidingsGateway/Web/dashboard/predicate.js"
};
static const unsigned char query_js[] = {
#embed "../TidingsGateway/Web/dashboard/query.js"
};
static const unsigned char record_js[] = {
#embed "../TidingsGateway/Web/dashboard/record.js"
};
static const unsigned char records_js[] = {
#embed "../TidingsGateway/Web/dashboard/records.js"
};
static const unsigned char samples_js[] = {
#embed "../TidingsGateway/Web/dashboard/samples.js"
};
static const unsigned char schema_js[] = {
#embed "../TidingsGateway/Web/dashboard/schema.js"
};
static const unsigned char server_js[] = {
#embed "../TidingsGateway/Web/dashboard/server.js"
};
static const unsigned char shares_js[] = {
#embed "../TidingsGateway/Web/dashboard/shares.js"
};
static const unsigned char subscriptions_js[] = {
#embed "../TidingsGateway/Web/dashboard/subscriptions.js"
};
static const unsigned char tokens_js[] = {
#embed "../TidingsGateway/Web/dashboard/tokens.js"
};
static const unsigned char users_js[] = {
#embed "../TidingsGateway/Web/dashboard/users.js"
};
static const unsigned char values_js[] = {
#embed "../TidingsGateway/Web/dashboard/values.js"
};
static const unsigned char zones_js[] = {
#embed "../TidingsGateway/Web/dashboard/zones.js"
};
static const unsigned char tidings_d_ts[] = {
#embed "../TidingsGateway/Web/tidings.d.ts"
};
static const unsigned char tidings_js[] = {
#embed "../TidingsGateway/Web/tidings.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const tidings_web_file files[] = {
    FILE("dashboard/app.js", app_js),
    FILE("dashboard/audit.js", audit_js),
    FILE("dashboard/chart.js", chart_js),
    FILE("dashboard/cluster.js", cluster_js),
    FILE("dashboard/conflict.js", conflict_js),
    FILE("dashboard/dashboard.css", dashboard_css),
    FILE("dashboard/deliveries.js", deliveries_js),
    FILE("dashboard/dialog.js", dialog_js),
    FILE("dashboard/editors.js", editors_js),
    FILE("dashboard/element.js", element_js),
    FILE("dashboard/format.js", format_js),
    FILE("dashboard/grid.js", grid_js),
    FILE("dashboard/icon.svg", icon_svg),
    FILE("dashboard/index.html", index_html),
    FILE("dashboard/live.js", live_js),
    FILE("dashboard/location.js", location_js),
    FILE("dashboard/metrics.js", metrics_js),
    FILE("dashboard/notifications.js", notifications_js),
    FILE("dashboard/predicate.js", predicate_js),
    FILE("dashboard/query.js", query_js),
    FILE("dashboard/record.js", record_js),
    FILE("dashboard/records.js", records_js),
    FILE("dashboard/samples.js", samples_js),
    FILE("dashboard/schema.js", schema_js),
    FILE("dashboard/server.js", server_js),
    FILE("dashboard/shares.js", shares_js),
    FILE("dashboard/subscriptions.js", subscriptions_js),
    FILE("dashboard/tokens.js", tokens_js),
    FILE("dashboard/users.js", users_js),
    FILE("dashboard/values.js", values_js),
    FILE("dashboard/zones.js", zones_js),
    FILE("tidings.d.ts", tidings_d_ts),
    FILE("tidings.js", tidings_js),
};

const tidings_web_file *tidings_web_files_first(void) { return files; }
const size_t tidings_web_file_count = sizeof files / sizeof files[0];
