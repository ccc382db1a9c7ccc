import { createWalletClient, http, type LocalAccount, type TypedDataDefinition } from 'viem'

interface RpcTransaction {
  readonly to: `0x${string}`
  readonly data: `0x${string}`
  readonly nonce?: `0x${string}`
}

/** Returns a provider like that of a browser extension (EIP-1193), which signs without asking the user. */
export function injectedProvider(rpc: string, account: LocalAccount) {
  const wallet = createWalletClient({ account, transport: http(rpc, { retryCount: 0 }) })
  return {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      switch (method) {
        case 'eth_accounts':
        case 'eth_requestAccounts':
          return [account.address]
        case 'eth_signTypedData_v4':
          return account.signTypedData(JSON.parse(params[1] as string) as TypedDataDefinition)
        case 'eth_sendTransaction': {
          const { to, data, nonce } = params[0] as RpcTransaction
          const chosen = nonce === undefined ? {} : { nonce: Number(nonce) }
          return wallet.sendTransaction({ to, data, chain: null, ...chosen })
        }
        default:
          return wallet.request({ method, params } as never)
      }
    },
  }
}
