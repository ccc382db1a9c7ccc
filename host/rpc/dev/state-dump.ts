import { formatData } from '../../base/hex.ts'
import { changedAccounts } from '../../dev/account-change.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { driven } from './driven.ts'

/** Loaded with the first file: zod, which checks it, takes as long to load as all methods. */
const stateFiles = () => import('../../dev/state-file.ts')

/** The newest state as a file of anvil's, gzip as hex. */
export async function dumpState(call: RpcCall): Promise<string> {
  const { chain, state } = call.context
  const { encodeState } = await stateFiles()
  const view = state.view(chain.latest)
  return formatData(await encodeState(view, driven(call).written, () => call.turn()))
}

/** Takes the accounts of such a file into the newest state: what it does not name stays. */
export async function loadState(call: RpcCall, file: Uint8Array): Promise<true> {
  const { keccak256 } = call.context
  const { decodeState } = await stateFiles()
  const changes = await decodeState(file)
  await driven(call).amend((view) => changedAccounts(view, changes, keccak256))
  return true
}
