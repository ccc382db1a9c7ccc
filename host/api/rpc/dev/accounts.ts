import type { RpcCall } from '../call/rpc-call.ts'
import { driven } from './driven.ts'

export function impersonate(call: RpcCall, address: Uint8Array): void {
  driven(call).accounts.impersonate(address)
}

/** Returns false if it was not impersonated. */
export function stopImpersonating(call: RpcCall, address: Uint8Array): boolean {
  return driven(call).accounts.stopImpersonating(address)
}

export function autoImpersonate(call: RpcCall, isOn: boolean): void {
  driven(call).accounts.autoImpersonate = isOn
}
