/** Headers in which proxies describe the client, and which servers trust. */
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

/** Prefixes of such headers of proxies, load balancers and content delivery networks. */
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

/** Returns true for a header in which proxies describe their client or the path that it requested. */
export function isProxyHeader(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
