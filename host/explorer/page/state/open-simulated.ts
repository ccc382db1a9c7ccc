import { keccak256 } from 'viem'
import { LockstepError } from '../../../base/error.ts'
import type { Hex } from '../../../base/hex.ts'
import { NodeClient } from '../../../client/remote-node/node-client.ts'
import { editedAccounts } from '../../browser/edit/changes.ts'
import { EditedState } from '../../browser/edit/edited-state.ts'
import { openStepper } from '../../browser/open-stepper.ts'
import { simulate } from '../../browser/simulate.ts'
import { stateOfNode } from '../../browser/source/state-of-node.ts'
import type { AskedNode } from './asked-node.ts'
import type { Change } from './debug/change.ts'
import { planChanges } from './debug/plan-changes.ts'
import type { RunSource } from './opened-run.ts'

/** A call that was never sent. */
export interface CallToSimulate {
  /** Null for a contract creation. */
  readonly to: Hex | null
  /** The block after which it runs; the latest by default. */
  readonly at: number | undefined
  /** Its sender, calldata, value and gas, and changes of the state and the block. */
  readonly changes: readonly Change[]
}

/**
 * Runs a call on the state of a node after a block.
 * @throws INVALID_ARGUMENT; TRANSACTION_REJECTED if the protocol rejects it; errors of asking the node
 */
export async function openSimulated(
  node: Pick<AskedNode, 'url' | 'reader'>,
  { to, at, changes }: CallToSimulate,
  signal: AbortSignal,
): Promise<RunSource> {
  const { transaction = {}, accounts = [], block = {} } = planChanges(changes)
  const { from } = transaction
  if (from === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', 'the call has no sender', {
      hint: 'add from:0x… to `with` in the link, or run it from the form',
    })
  }
  const height = at ?? (await node.reader.height())
  // The code that reads blocks of any node is loaded on first use.
  const { callBlock } = await import('../../browser/source/call-block.ts')
  const found = await callBlock(new NodeClient(node.url, { signal }), height)
  const state = new EditedState(stateOfNode(node.url, height), editedAccounts(accounts), (bytes) =>
    keccak256(bytes, 'bytes'),
  )
  const call = { block: found, transaction: { ...transaction, from, to }, changes: { block } }
  const bundle = await simulate(call, state, { signal })
  try {
    const stepper = await openStepper(bundle, 0, { signal })
    return { bundle, index: 0, stepper, before: state, after: state, isSimulated: true }
  } catch (thrown) {
    bundle.close()
    throw thrown
  }
}
