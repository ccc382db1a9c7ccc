/**
 * What the explorer's page may load, by directive (CSP level 3). It may compile WebAssembly but not evaluate strings.
 */
const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  // The user may choose another node's JSON-RPC.
  'connect-src': "'self' http: https: ws: wss:",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const

/** Returns the policy as a header value; `changes` replaces directives, and undefined omits one. */
export function explorerPolicy(changes: Readonly<Record<string, string | undefined>> = {}): string {
  return Object.entries({ ...DIRECTIVES, ...changes })
    .filter(([, sources]) => sources !== undefined)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')
}
