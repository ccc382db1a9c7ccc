import { LockstepError } from '../../host/base/error.ts'
import { formatData } from '../../host/base/hex.ts'
import { decodeEthereumBlock } from '../../host/evm/chain-types/ethereum-block.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  testsHave,
  type VectorFile,
} from './case.ts'
import { EthereumChain } from './ethereum-chain.ts'
import { compareRefusal } from './exceptions.ts'
import { type FixtureState, findDifference, parseBytes, readState } from './fixture.ts'
import { type NetworkConfig, networkOf } from './network.ts'

/** A blockchain test: a genesis and blocks, some of them invalid. */
interface BlockchainTest {
  readonly network: string
  readonly config?: NetworkConfig
  readonly genesisRLP: string
  readonly pre: FixtureState
  readonly blocks: readonly (Readonly<Record<string, unknown>> & { readonly rlp: string })[]
  readonly lastblockhash: string
  readonly postState?: FixtureState
  readonly postStateHash?: string
}

/** Errors that refuse an invalid block. Any other error is a defect. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BLOCK_INVALID',
  'INVALID_RLP',
  'TRANSACTION_REJECTED',
])

/** Returns why the chain refuses a block, or undefined if it accepts it. */
function refusalOf(chain: EthereumChain, raw: Uint8Array): string | undefined {
  try {
    chain.importBlock(raw)
    return undefined
  } catch (thrown) {
    if (thrown instanceof LockstepError && REFUSALS.has(thrown.code)) return thrown.message
    throw thrown
  }
}

/** Returns the exception that a block must raise. Legacy tests give one for each fork. */
function expectationOf(block: Readonly<Record<string, unknown>>): string | undefined {
  const key = Object.keys(block).find((name) => name.startsWith('expectException'))
  return key === undefined ? undefined : String(block[key])
}

function runCase({ engine, hasher, notes }: Machines, test: BlockchainTest): string | undefined {
  const network = networkOf(test.network, test.config)
  if (network === undefined) return `unknown network ${test.network}`
  const genesis = decodeEthereumBlock(parseBytes(test.genesisRLP))
  const state = readState(test.pre, hasher, () => undefined)
  const root = formatData(state.root())
  const stated = formatData(genesis.header.stateRoot)
  if (root !== stated) return `genesis state root ${root}, want ${stated}`
  const chain = new EthereumChain({ engine, hasher }, network, genesis, state)
  for (const [index, block] of test.blocks.entries()) {
    const expected = expectationOf(block)
    const refusal = refusalOf(chain, parseBytes(block.rlp))
    const failure = compareRefusal(refusal, expected, notes)
    if (failure !== undefined) return `block ${index} ${failure}\n${describe(chain, test, hasher)}`
  }
  const head = formatData(chain.head)
  if (head !== test.lastblockhash) return `last block ${head}, want ${test.lastblockhash}`
  if (test.postState === undefined) return undefined
  return findDifference(chain.state, test.postState, hasher)
}

/** Describes how the last valid state differs from the expected one. */
function describe(chain: EthereumChain, test: BlockchainTest, hasher: Machines['hasher']): string {
  if (test.postState === undefined) return ''
  return findDifference(chain.state, test.postState, hasher) ?? ''
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [name, content] of namedTests(file)) {
    const test = content as unknown as BlockchainTest
    if (filter(name, test.network)) yield attempt(name, () => runCase(machines, test))
  }
}

export const blockchainTests: Suite = {
  recognises: (file) => testsHave(file, 'network', 'genesisRLP', 'blocks', 'lastblockhash'),
  run: runFile,
}
