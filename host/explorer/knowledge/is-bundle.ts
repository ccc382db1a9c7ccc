/** Whether a parsed file is a bundle: one of `lockstep record`, or the answer of debug_traceStateAccess around it. */
export function isBundle(json: unknown): boolean {
  return hasBundle(json) || hasBundle(member(json, 'result'))
}

function hasBundle(json: unknown): boolean {
  return typeof member(json, 'bundle') === 'object'
}

function member(json: unknown, name: string): unknown {
  const isRecord = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isRecord ? (json as Readonly<Record<string, unknown>>)[name] : undefined
}
