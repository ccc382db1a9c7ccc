import { formatData, hexDigits, parseFixedData } from '../../base/hex.ts'
import type { ContinuedGenesis } from './genesis.ts'
import { at, invalid, type JsonObject, MAX_U64, readInteger, readString } from './genesis-json.ts'

const MEMBER = 'app_state.evm.genesis_block'

/** The first height of the document's chain. */
export interface GenesisBegin {
  readonly initialHeight: number
  readonly continued?: ContinuedGenesis
}

/** @throws GENESIS_INVALID naming the JSON path. */
export function readBegin(document: JsonObject, evm: JsonObject): GenesisBegin {
  const height = readInteger(document.initial_height ?? '1', 'initial_height', MAX_U64)
  if (height === 0n || height > Number.MAX_SAFE_INTEGER) {
    throw invalid('initial_height', `is ${height}, want 1 or the first height of a continued chain`)
  }
  const hash = readString(document.app_hash ?? '', 'app_hash')
  const block = evm.genesis_block
  if (height === 1n) {
    // Height 0 holds the genesis state, which determines its app hash.
    if (hash !== '') throw invalid('app_hash', 'must be empty if initial_height is 1')
    if (block !== undefined) throw invalid(MEMBER, 'must be absent if initial_height is 1')
    return { initialHeight: 1 }
  }
  const begun = `must be that of the chain that continues at initial_height ${height}`
  if (hash === '') throw invalid('app_hash', begun)
  if (block === undefined) throw invalid(MEMBER, begun)
  if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw invalid('app_hash', `"${hash}" is not 64 hex digits`)
  return {
    initialHeight: Number(height),
    continued: {
      appHash: parseFixedData(`0x${hash}`, 32),
      genesisBlock: at(MEMBER, () => parseFixedData(readString(block, MEMBER), 32)),
    },
  }
}

/** Returns CometBFT's `app_hash` in upper-case hex; empty for a new chain. */
export function formatAppHash(continued: ContinuedGenesis | undefined): string {
  return continued === undefined ? '' : hexDigits(continued.appHash).toUpperCase()
}

/** Returns the `genesis_block` member of `app_state.evm`; an empty object for a new chain. */
export function formatGenesisBlock(continued: ContinuedGenesis | undefined): JsonObject {
  return continued === undefined ? {} : { genesis_block: formatData(continued.genesisBlock) }
}
