/** Names by which proxies tell of a client, which servers believe. */
const NAMES: ReadonlySet<string> = new Set([
  'forwarded',
  'forwarded-for',
  'via',
  'cdn-loop',
  'client-ip',
  'true-client-ip',
  'proxy',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'remote-addr',
  'remote-user',
  'front-end-https',
  'ssl-client-cert',
  'x-client-ip',
  'x-client-cert',
  'x-cluster-client-ip',
  'x-forward-for',
  'x-host',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-scheme',
  'x-url-scheme',
])

/** Beginnings of names that proxies, load balancers and content networks give to such headers. */
const PREFIXES = [
  'x-forwarded',
  'x-real-',
  'x-remote-',
  'x-original-',
  'x-rewrite-',
  'x-http-method',
  'x-middleware-',
  'x-invoke-',
  'x-envoy-',
  'x-azure-',
  'x-appengine-',
  'x-amzn-',
  'x-ssl-',
  'x-auth-request-',
  'ssl-client-',
  'cf-',
  'fastly-',
  'fly-',
  'cloudfront-',
]

/** True for a header by which proxies tell of the client behind them, or of the path that it asked for. */
export function isProxyHeader(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
