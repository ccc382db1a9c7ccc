import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf } from './driven.ts'

export function impersonate(call: MethodCall, address: Uint8Array): void {
  devChainOf(call).accounts.impersonate(address)
}

/** Returns false if it was not impersonated. */
export function stopImpersonating(call: MethodCall, address: Uint8Array): boolean {
  return devChainOf(call).accounts.stopImpersonating(address)
}

export function autoImpersonate(call: MethodCall, isOn: boolean): void {
  devChainOf(call).accounts.autoImpersonate = isOn
}
