import { formatData } from '../../../base/hex.ts'
import type { MethodCall } from '../call/rpc-call.ts'

/** Returns the accounts that the node signs for, then the impersonated ones. */
export function accounts({ context }: MethodCall): string[] {
  if (context.dev === undefined) return []
  const { addresses, impersonated } = context.dev.accounts
  return [...new Set([...addresses, ...impersonated].map(formatData))]
}
