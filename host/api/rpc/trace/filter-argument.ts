import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import { BLOCK_NUMBER, type BlockArgument, LATEST } from '../argument/block-argument.ts'
import {
  ADDRESS_TYPE,
  asArray,
  asObject,
  COUNT,
  member,
  type ParamType,
  TEXT,
} from '../argument/parameter.ts'

/** The decoded argument of trace_filter. */
export interface TraceFilter {
  readonly fromBlock: BlockArgument
  readonly toBlock: BlockArgument
  /** Addresses in lower-case hex; empty for any. */
  readonly from: readonly Hex[]
  readonly to: readonly Hex[]
  /** If both address lists are given: matches traces that match either list, rather than both. */
  readonly isUnion: boolean
  /** Number of matching traces to skip, and the maximum to return. */
  readonly after: number
  readonly count: number | undefined
}

const MAX_ADDRESSES = 1000

const ADDRESSES: ParamType<readonly Hex[]> = {
  label: 'addresses',
  decode: (value) => {
    const items = asArray(value, 'an array of addresses')
    if (items.length <= MAX_ADDRESSES)
      return items.map((item) => formatData(ADDRESS_TYPE.decode(item)))
    const text = `${items.length} addresses, want at most ${MAX_ADDRESSES}`
    throw new LockstepError('INVALID_ARGUMENT', text)
  },
}

/** Erigon's names. Parity supported only `intersection`. */
const MODE: ParamType<boolean> = {
  label: 'mode',
  decode: (value) => {
    const mode = TEXT.decode(value)
    if (mode === 'union') return true
    if (mode === 'intersection') return false
    const shown = JSON.stringify(mode.slice(0, 40))
    throw new LockstepError('INVALID_ARGUMENT', `want union or intersection, got ${shown}`)
  },
}

export const TRACE_FILTER: ParamType<TraceFilter> = {
  label: 'trace filter',
  decode: (value) => {
    const object = asObject(value, 'a trace filter')
    return {
      fromBlock: member(object, 'fromBlock', BLOCK_NUMBER) ?? { kind: 'earliest' },
      toBlock: member(object, 'toBlock', BLOCK_NUMBER) ?? LATEST,
      from: member(object, 'fromAddress', ADDRESSES) ?? [],
      to: member(object, 'toAddress', ADDRESSES) ?? [],
      isUnion: member(object, 'mode', MODE) ?? true,
      after: member(object, 'after', COUNT) ?? 0,
      count: member(object, 'count', COUNT),
    }
  },
}
