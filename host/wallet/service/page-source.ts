import type { RecordingSigner } from '../page/recording-signer.ts'
import type { WalletsSource } from '../page/wallets-source.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { ApiPolicy } from '../protocol/policy-shapes.ts'
import type { ApiWallet } from '../protocol/wallet.ts'
import type { AppStore } from './app-store.ts'

/** Returns the data of the wallets page from the apps, the signer and the chains. */
export function pageSource(
  apps: AppStore,
  signer: RecordingSigner,
  pipeline: Pipeline,
): WalletsSource {
  const list = async <T>(appId: string, path: string, limit: number): Promise<readonly T[]> => {
    const request = {
      method: 'GET',
      path: `/v1/${path}?limit=${limit}`,
      body: '',
      headers: {},
      signatures: [],
    } as const
    const page = await signer.ask({ appId, requestId: 'page', request })
    return (page as { readonly data: readonly T[] }).data
  }
  return {
    apps: () => apps.list(),
    wallets: (appId, limit) => list<ApiWallet>(appId, 'wallets', limit),
    policies: (appId, limit) => list<ApiPolicy>(appId, 'policies', limit),
    balances: async (appId, walletId) => {
      const balances = await pipeline.balances(appId, walletId)
      return balances.map(({ caip2, asset, display_values }) => ({
        caip2,
        text: `${Object.values(display_values)[0] ?? ''} ${asset.toUpperCase()}`,
      }))
    },
    decisions: () => signer.decisions(),
    waiting: () => signer.waiting(),
  }
}
