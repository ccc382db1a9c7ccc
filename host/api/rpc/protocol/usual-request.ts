import type { Message } from './jsonrpc.ts'

/** Parameters that nest no deeper than objects in their array, without an escape: what most calls have. */
const FLAT = String.raw`[^[\]{}\\]*`
const PARAMS = String.raw`(\[${FLAT}(?:\{${FLAT}\}${FLAT})*\])`
/** An id that no digit is lost of. */
const ID = '(0|[1-9][0-9]{0,14})'
const METHOD = '"([a-zA-Z0-9_]+)"'

/** As viem, geth's client and curl users write it. */
const ID_FIRST = new RegExp(
  `^{"jsonrpc":"2\\.0","id":${ID},"method":${METHOD},"params":${PARAMS}}$`,
)
/** As ethers and alloy do. */
const METHOD_FIRST = new RegExp(
  `^{"method":${METHOD},"params":${PARAMS},"id":${ID},"jsonrpc":"2\\.0"}$`,
)

const NO_PARAMS: readonly unknown[] = []

/**
 * A request as the usual clients write it, read without a scan and without an object for its envelope; undefined for
 * every other text, which may be as sound.
 * @param names by themselves: a name that was cut out of a text would be compared whole wherever it is looked up
 */
export function readUsual(text: string, names: ReadonlyMap<unknown, string>): Message | undefined {
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
