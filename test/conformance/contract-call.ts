import { bigintToBytes } from '../../host/base/bytes.ts'
import type { Revision } from '../../host/evm/chain-types/revision.ts'
import type { Executed } from '../../host/evm/engine/outcome.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { MerkleState } from '../support/chain/merkle-state.ts'
import { PLAIN_FIELDS } from '../support/engine/unsigned-sender.ts'
import type { Machines } from './case.ts'

const CALLER = new Uint8Array(20).fill(0xca)
const CONTRACT = new Uint8Array(20).fill(0xc0)
const GAS = 10n ** 15n

/** Calls `code` with `data` at a gas price of zero, on a state that contains nothing else. */
export function callContract(
  { engine, hasher }: Machines,
  revision: Revision,
  code: Uint8Array,
  data: Uint8Array,
): Executed {
  const state = new MerkleState(hasher, () => undefined)
  const codeHash = hasher.keccak256(code)
  state.addCode(codeHash, code)
  state.writeAccount(CONTRACT, { nonce: 1n, balance: 0n, codeHash })
  engine.beginBlock({
    revision,
    chainId: 1n,
    number: 1,
    timestamp: 1,
    gasLimit: GAS,
    baseFee: 0n,
    coinbase: CALLER,
    prevRandao: bigintToBytes(0n, 32),
    blobBaseFee: 1n,
    burnBaseFee: true,
  })
  const run = engine.transact(
    {
      ...PLAIN_FIELDS,
      type: 0,
      from: CALLER,
      to: CONTRACT,
      nonce: 0n,
      gas: GAS,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      value: 0n,
      data,
    },
    { leniency: { skipFees: true, skipSenderChecks: true } },
  )
  const outcome = answerFrom(run, state)
  if (outcome.kind === 'rejected') throw new Error(`rejected: ${outcome.code}`)
  return outcome
}
