import type { Message } from './jsonrpc.ts'

/** Parameters without escapes whose objects are not nested: the form of most calls. */
const FLAT = String.raw`[^[\]{}\\]*`
const PARAMS = String.raw`(\[${FLAT}(?:\{${FLAT}\}${FLAT})*\])`
/** An id that fits a double exactly. */
const ID = '(0|[1-9][0-9]{0,14})'
const METHOD = '"([a-zA-Z0-9_]+)"'

/** The member order of viem, geth's client and most curl users. */
const ID_FIRST = new RegExp(
  `^{"jsonrpc":"2\\.0","id":${ID},"method":${METHOD},"params":${PARAMS}}$`,
)
/** The member order of ethers and alloy. */
const METHOD_FIRST = new RegExp(
  `^{"method":${METHOD},"params":${PARAMS},"id":${ID},"jsonrpc":"2\\.0"}$`,
)

const NO_PARAMS: readonly unknown[] = []

/**
 * Parses a request in the usual form without a scan and without an object for its envelope. Returns undefined for any
 * other text, which may also be valid.
 * @param names interned method names: a name sliced from a text would be compared in full at each lookup
 */
export function parseUsualRequest(
  text: string,
  names: ReadonlyMap<unknown, string>,
): Message | undefined {
  const idFirst = ID_FIRST.exec(text)
  if (idFirst !== null) return messageOf(names, idFirst[1], idFirst[2], idFirst[3])
  const methodFirst = METHOD_FIRST.exec(text)
  return methodFirst === null
    ? undefined
    : messageOf(names, methodFirst[3], methodFirst[1], methodFirst[2])
}

function messageOf(
  names: ReadonlyMap<unknown, string>,
  rawId: string | undefined,
  name: string | undefined,
  rawParams: string | undefined,
): Message | undefined {
  const params = paramsOf(rawParams as string)
  const method = names.get(name) ?? name
  return params && { jsonrpc: '2.0', id: Number(rawId), method, params, rawId }
}

function paramsOf(text: string): readonly unknown[] | undefined {
  if (text === '[]') return NO_PARAMS
  try {
    return JSON.parse(text) as readonly unknown[]
  } catch {
    return undefined
  }
}
