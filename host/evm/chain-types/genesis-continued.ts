import { formatData, hexDigits, parseFixedData } from '../../base/hex.ts'
import type { ContinuedGenesis } from './genesis.ts'
import {
  atGenesisPath,
  type GenesisObject,
  invalidGenesis,
  MAX_U64,
  readGenesisInteger,
  readGenesisString,
} from './genesis-json.ts'

const MEMBER = 'app_state.evm.genesis_block'

/** The first height of the document's chain. */
export interface GenesisStart {
  readonly initialHeight: number
  readonly continued?: ContinuedGenesis
}

/** @throws GENESIS_INVALID naming the JSON path. */
export function readGenesisStart(document: GenesisObject, evm: GenesisObject): GenesisStart {
  const height = readGenesisInteger(document.initial_height ?? '1', 'initial_height', MAX_U64)
  if (height === 0n || height > Number.MAX_SAFE_INTEGER) {
    throw invalidGenesis(
      'initial_height',
      `is ${height}, want 1 or the first height of a continued chain`,
    )
  }
  const hash = readGenesisString(document.app_hash ?? '', 'app_hash')
  const block = evm.genesis_block
  if (height === 1n) {
    // Height 0 holds the genesis state, which determines its app hash.
    if (hash !== '') throw invalidGenesis('app_hash', 'must be empty if initial_height is 1')
    if (block !== undefined) throw invalidGenesis(MEMBER, 'must be absent if initial_height is 1')
    return { initialHeight: 1 }
  }
  const begun = `must be that of the chain that continues at initial_height ${height}`
  if (hash === '') throw invalidGenesis('app_hash', begun)
  if (block === undefined) throw invalidGenesis(MEMBER, begun)
  if (!/^[0-9a-fA-F]{64}$/.test(hash))
    throw invalidGenesis('app_hash', `"${hash}" is not 64 hex digits`)
  return {
    initialHeight: Number(height),
    continued: {
      appHash: parseFixedData(`0x${hash}`, 32),
      genesisBlock: atGenesisPath(MEMBER, () =>
        parseFixedData(readGenesisString(block, MEMBER), 32),
      ),
    },
  }
}

/** Returns CometBFT's `app_hash` in upper-case hex; empty for a new chain. */
export function formatAppHash(continued: ContinuedGenesis | undefined): string {
  return continued === undefined ? '' : hexDigits(continued.appHash).toUpperCase()
}

/** Returns the `genesis_block` member of `app_state.evm`; an empty object for a new chain. */
export function formatGenesisBlock(continued: ContinuedGenesis | undefined): GenesisObject {
  return continued === undefined ? {} : { genesis_block: formatData(continued.genesisBlock) }
}
