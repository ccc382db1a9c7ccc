import { LockstepError, messageOf } from '../../../base/error.ts'
import { parseData } from '../../../base/hex.ts'
import type { LogFilter } from '../../../evm/chain-types/log-filter.ts'
import { BLOCK_NUMBER, type BlockArgument, LATEST } from './block-argument.ts'
import { asArray, asObject, HASH, type JsonArgument, member, type ParamType } from './parameter.ts'

/** geth's limits for one filter. */
const MAX_TOPICS = 4
const MAX_ALTERNATIVES = 1000

export interface LogQueryArgument extends LogFilter {
  /** The single block to search; the bounds are then ignored. */
  readonly blockHash: Uint8Array | undefined
  readonly fromBlock: BlockArgument
  readonly toBlock: BlockArgument
}

function invalid(message: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message)
}

/** Parses an address or topic, with geth's error messages. */
function wordOf(text: string, size: number, what: 'address' | 'topic'): Uint8Array {
  if (text === '') throw invalid('empty hex string')
  const bytes = parseData(text)
  if (bytes.length === size) return bytes
  const rule = `expected ${size} for ${what}`
  throw invalid(`hex has invalid length ${bytes.length} after decoding; ${rule}`)
}

function addressOf(text: string, place: string): Uint8Array {
  try {
    return wordOf(text, 20, 'address')
  } catch (thrown) {
    throw invalid(`invalid address${place}: ${messageOf(thrown)}`)
  }
}

/** Parses one or several addresses. Rejects null elements, which would match any address. */
function addressesOf(value: unknown): Uint8Array[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [addressOf(value, '')]
  if (!Array.isArray(value)) throw invalid('invalid addresses in query')
  const decoded = value.map((item: unknown, i) => {
    if (typeof item !== 'string') throw invalid(`non-string address at index ${i}`)
    return addressOf(item, ` at index ${i}`)
  })
  if (decoded.length <= MAX_ALTERNATIVES) return decoded
  throw new LockstepError('LIMIT_EXCEEDED', 'exceed max addresses or topics per search position')
}

/** Parses the alternatives for a topic position; empty matches any. */
function topicsOf(value: unknown): Uint8Array[] {
  if (value === null) return []
  if (typeof value === 'string') return [wordOf(value, 32, 'topic')]
  if (!Array.isArray(value)) throw invalid('invalid topic(s)')
  if (value.length > MAX_ALTERNATIVES) throw invalid('exceed max topics')
  const topics: Uint8Array[] = []
  for (const topic of value as unknown[]) {
    // A null among the alternatives makes the whole position a wildcard (geth).
    if (topic === null) return []
    if (typeof topic !== 'string') throw invalid('invalid topic(s)')
    topics.push(wordOf(topic, 32, 'topic'))
  }
  return topics
}

function decodeFilter(object: JsonArgument): LogFilter {
  const { address, topics } = object
  const addresses = addressesOf(address)
  const positions = topics === undefined || topics === null ? [] : asArray(topics, 'topics')
  if (positions.length > MAX_TOPICS) throw invalid('exceed max topics')
  return { addresses, topics: positions.map(topicsOf) }
}

/** The filter of a `logs` subscription. */
export const LOG_FILTER: ParamType<LogFilter> = {
  label: 'log filter',
  decode: (value) => decodeFilter(asObject(value, 'a log filter')),
}

/** Decodes a filter object whose range begins with `first` by default. */
export function logQueryFrom(value: unknown, first: BlockArgument): LogQueryArgument {
  const object = asObject(value, 'a log filter')
  const blockHash = member(object, 'blockHash', HASH)
  const fromBlock = member(object, 'fromBlock', BLOCK_NUMBER)
  const toBlock = member(object, 'toBlock', BLOCK_NUMBER)
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw invalid('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  return {
    ...decodeFilter(object),
    blockHash,
    fromBlock: fromBlock ?? first,
    toBlock: toBlock ?? LATEST,
  }
}

/** The filter object of eth_getLogs and eth_newFilter. */
export const LOG_QUERY: ParamType<LogQueryArgument> = {
  label: 'log filter',
  decode: (value) => logQueryFrom(value, LATEST),
}
