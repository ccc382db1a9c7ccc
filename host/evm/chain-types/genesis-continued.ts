import { formatData, hexDigits, parseFixedData } from '../../base/hex.ts'
import type { ContinuedGenesis } from './genesis.ts'
import { at, invalid, type JsonObject, MAX_U64, readInteger, readString } from './genesis-json.ts'

const MEMBER = 'app_state.evm.genesis_block'

/** From which height on the document is that of the chain. */
export interface GenesisBegin {
  readonly initialHeight: number
  readonly continued?: ContinuedGenesis
}

/** @throws GENESIS_INVALID naming the JSON path. */
export function readBegin(document: JsonObject, evm: JsonObject): GenesisBegin {
  const height = readInteger(document.initial_height ?? '1', 'initial_height', MAX_U64)
  if (height === 0n || height > Number.MAX_SAFE_INTEGER) {
    throw invalid('initial_height', `is ${height}, want 1, or the height that a chain goes on with`)
  }
  const hash = readString(document.app_hash ?? '', 'app_hash')
  const block = evm.genesis_block
  if (height === 1n) {
    // Height 0 holds the genesis state, and its app hash follows from that.
    if (hash !== '') throw invalid('app_hash', 'must be empty where initial_height is 1')
    if (block !== undefined) throw invalid(MEMBER, 'must be absent where initial_height is 1')
    return { initialHeight: 1 }
  }
  const begun = `must be that of the chain that goes on with initial_height ${height}`
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

/** CometBFT's `app_hash`: upper-case hex digits, none where the chain begins. */
export function formatAppHash(continued: ContinuedGenesis | undefined): string {
  return continued === undefined ? '' : hexDigits(continued.appHash).toUpperCase()
}

/** The member of `app_state.evm`, which a chain that begins has not. */
export function formatGenesisBlock(continued: ContinuedGenesis | undefined): JsonObject {
  return continued === undefined ? {} : { genesis_block: formatData(continued.genesisBlock) }
}
