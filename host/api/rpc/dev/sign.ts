import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { type AccountKey, signMessage } from '../../../evm/chain-types/account-key.ts'
import { typedDataProblem } from '../../../evm/chain-types/typed-data.ts'
import { asObject, type JsonArgument, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf } from './driven.ts'
import { unknownAccount } from './send.ts'

/** EIP-712 typed data, as an object or a JSON string. */
export const TYPED_DATA: ParamType<JsonArgument> = {
  label: 'typed data',
  decode: (value) => {
    if (typeof value !== 'string') return asObject(value, 'typed data')
    try {
      return asObject(JSON.parse(value), 'typed data')
    } catch (cause) {
      if (cause instanceof LockstepError) throw cause
      throw new LockstepError('INVALID_ARGUMENT', `typed data is not JSON: ${messageOf(cause)}`)
    }
  },
}

function requireKey(call: MethodCall, address: Uint8Array): AccountKey {
  const key = devChainOf(call).accounts.keyOf(address)
  if (key === undefined) throw unknownAccount(address)
  return key
}

/** Signs a message (EIP-191), like personal_sign of wallets. */
export function signData(call: MethodCall, address: Uint8Array, message: Uint8Array): string {
  return formatData(signMessage(message, requireKey(call, address)))
}

/** Signs typed data (EIP-712, version 4). */
export async function signTypedDataV4(
  call: MethodCall,
  address: Uint8Array,
  data: JsonArgument,
): Promise<string> {
  const { secret } = requireKey(call, address)
  const problem = typedDataProblem(data)
  if (problem !== undefined) throw new LockstepError('INVALID_ARGUMENT', `typed data: ${problem}`)
  const { signTyped } = await import('micro-eth-signer')
  return signTyped(data as never, secret, false)
}
