import { formatData } from '../../../base/hex.ts'
import { readStateOnWorker } from '../../../chain/dev/state-thread.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf } from './driven.ts'

/** Loaded on first use: zod, which validates files, takes as long to load as all methods. */
const stateFiles = () => import('../../../chain/dev/state-file.ts')

/** Memory to read a file, as a multiple of its size: its JSON, and the decoded objects. */
const COPIES = 3

/** Returns the latest state in anvil's file format, gzip as hex. */
export async function dumpState(call: MethodCall): Promise<string> {
  const { chain, state } = call.context
  const { encodeState } = await stateFiles()
  const view = state.view(chain.latest)
  return formatData(await encodeState(view, devChainOf(call).written, () => call.yield()))
}

/** Loads the accounts of such a file into the latest state; all others remain. */
export async function loadDumpedState(call: MethodCall, file: Uint8Array): Promise<true> {
  const { statedBytes, MOST_SENT_BYTES } = await stateFiles()
  call.reserve(statedBytes(file, MOST_SENT_BYTES) * COPIES)
  const { diff } = await readStateOnWorker({ file, most: MOST_SENT_BYTES }, call.caller.signal)
  await devChainOf(call).amend(() => diff)
  return true
}
