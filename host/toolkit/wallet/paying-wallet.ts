import type { Hex } from '../../base/hex.ts'
import type { PayingWallet, SignableTypedData } from '../../payments/client/wallet.ts'
import type { AgentWallet } from '../agent-wallet.ts'
import type { Chain } from '../chain.ts'

/** Adapts an agent's wallet to the viem wallet client that the payment client expects. */
export function payingWallet(wallet: AgentWallet, chain: Chain, chainId: number): PayingWallet {
  return {
    account: { address: wallet.address, type: 'json-rpc' },
    chain: { id: chainId },
    request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      chain.ask(method, ...params),
    signTypedData: ({ domain, types, primaryType, message }: SignableTypedData) =>
      wallet.signTypedData({ domain, types, primaryType, message }),
    sendTransaction: ({ to, data }: { to: Hex; data: Hex }) =>
      wallet.sendTransaction({ to, data, value: 0n }),
  }
}
