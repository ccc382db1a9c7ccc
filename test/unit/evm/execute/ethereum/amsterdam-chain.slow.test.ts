import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { readBlocks } from '../../../../../host/chain/consensus/import/block-file.ts'
import { decodeEthereumGenesis } from '../../../../../host/evm/execute/ethereum/genesis.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { EthereumChain } from '../../../../conformance/ethereum-chain.ts'
import { type FixtureState, findDifference, readState } from '../../../../conformance/fixture.ts'
import { compileCommit } from '../../../../support/engine/commit-module.ts'
import { engineInBlock } from '../../../../support/engine/engine-fixture.ts'
import { NO_VECTORS, VECTORS } from '../../../../support/vectors.ts'

/** go-ethereum's own test chain of 600 blocks (cmd/devp2p/internal/ethtest/testdata): Shanghai to Amsterdam. */
const FOLDER = join(VECTORS ?? '', 'amsterdam')
const isPresent = VECTORS !== undefined && existsSync(join(FOLDER, 'chain.rlp'))
const note = isPresent
  ? ''
  : ` (${VECTORS === undefined ? NO_VECTORS : `${FOLDER} has no chain.rlp`})`

const text = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** Returns accounts with their addresses in the form of fixtures. */
function withPrefix(accounts: FixtureState): FixtureState {
  return Object.fromEntries(
    Object.entries(accounts).map(([address, account]) => [
      address.startsWith('0x') ? address : `0x${address}`,
      account,
    ]),
  )
}

test.skipIf(!isPresent)(
  `go-ethereum's chain of 600 blocks across Amsterdam has its roots and its state at the head${note}`,
  async () => {
    const hasher = new CommitHasher(await compileCommit())
    const engine = await engineInBlock()
    const genesis = decodeEthereumGenesis(text('genesis.json'))
    const alloc = withPrefix(JSON.parse(text('genesis.json')).alloc)
    const state = readState(alloc, hasher, () => undefined)
    const block = {
      header: { ...genesis.header, stateRoot: state.root() },
      ommers: [],
      withdrawals: [],
      transactions: [],
      encodedOmmers: Uint8Array.of(0xc0),
      size: 0,
    }
    const chain = new EthereumChain({ engine, hasher }, genesis.network, block, state)
    expect(formatData(chain.head)).toBe(
      '0x1518c33dab6ed4dbb2d0c48239ac2f00acc0e28dc43660bb745a0f127552024c',
    )
    let count = 0
    for (const raw of readBlocks(join(FOLDER, 'chain.rlp'))) {
      chain.importBlock(raw)
      count++
    }
    expect(count).toBe(600)
    const { root, accounts } = JSON.parse(text('headstate.json'))
    expect(formatData(chain.state.root())).toBe(`0x${root}`)
    expect(findDifference(chain.state, headState(accounts), hasher)).toBeUndefined()
  },
)

interface DumpedAccount {
  readonly balance: string
  readonly nonce: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/** Returns geth's state dump in the form of fixtures, with hexadecimal numbers. */
function headState(accounts: Readonly<Record<string, DumpedAccount>>): FixtureState {
  const hex = (value: string | number) => `0x${BigInt(value).toString(16)}`
  return Object.fromEntries(
    Object.entries(accounts).map(([address, { balance, nonce, code, storage }]) => [
      address,
      {
        balance: hex(balance),
        nonce: hex(nonce),
        code: code ?? '0x',
        storage: Object.fromEntries(
          Object.entries(storage ?? {}).map(([slot, value]) => [slot, `0x${value}`]),
        ),
      },
    ]),
  )
}
