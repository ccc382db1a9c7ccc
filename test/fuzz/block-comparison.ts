import { bigintToBytes } from '../../host/base/bytes.ts'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { engineInBlock } from '../support/engine/engine-fixture.ts'
import { makeSigner, signTransaction } from '../support/peer/signer.ts'
import { type BlockResult, runGethBlock } from './geth-block.ts'
import { runLockstepBlock } from './lockstep-block.ts'
import { generateScenario, toInput } from './scenario.ts'

const TRANSACTIONS = 12

/** geth recovers the sender from the signatures. */
const SENDER = makeSigner(0x5e4de4n)

export interface ComparedBlock {
  readonly transactions: number
  readonly ours: BlockResult
  /** The fields that differ, with both values; undefined if all are equal. */
  readonly difference: string | undefined
}

/** Returns a function that runs the block of a seed here and with geth's `evm`. */
export async function openBlockComparison(evm: string): Promise<(seed: number) => ComparedBlock> {
  const engine = await engineInBlock()
  const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
  return (seed) => {
    const sender = bigintToBytes(SENDER.address, 20)
    const generated = generateScenario(seed, ['Amsterdam'], TRANSACTIONS, sender)
    // What follows from the excess of blob gas, which is 0
    const scenario = { ...generated, env: { ...generated.env, blobBaseFee: 1n } }
    const { chainId } = scenario.env
    const raws = scenario.transactions.map((transaction) =>
      signTransaction({ ...toInput(transaction), chainId }, SENDER),
    )
    const ours = runLockstepBlock(engine, hasher, scenario, raws)
    const theirs = runGethBlock(evm, scenario, raws)
    const fields = Object.keys(ours) as (keyof BlockResult)[]
    const differing = fields.filter((name) => String(ours[name]) !== String(theirs[name]))
    const texts = differing.map((name) => `${name} ${ours[name]}, not ${theirs[name]}`)
    return {
      transactions: raws.length,
      ours,
      difference: texts.length === 0 ? undefined : texts.join('; '),
    }
  }
}
