import { expect, test } from 'vitest'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import {
  answerBalance,
  answerTransactions,
  type PipelineParts,
} from '../../../../host/wallet/service/pipeline-routes.ts'
import type { SignerRequest } from '../../../../host/wallet/signer/signer-link.ts'

const asked = {
  appId: 'app-1',
  request: { method: 'GET', path: '/v1/wallets/w1/transactions', headers: {}, body: null },
} as unknown as SignerRequest

/** Returns a signer that knows only wallet `w1`, a pipeline that answers for any wallet, and the calls to both. */
function makeParts() {
  const paths: string[] = []
  const listed: string[] = []
  const parts = {
    link: {
      ask: async ({ request }: SignerRequest) => {
        paths.push(request.path)
        if (!request.path.startsWith('/v1/wallets/w1?')) throw new WalletError('not_found', 'no w2')
      },
    },
    pipeline: {
      list: (_: string, walletId: string) => listed.push(walletId),
      balances: async (_: string, walletId: string) => listed.push(walletId),
    },
  } as unknown as PipelineParts
  return { parts, paths, listed }
}

const QUERY = { limit: 10 } as Parameters<typeof answerTransactions>[3]
const BALANCE = {} as Parameters<typeof answerBalance>[3]

test('transactions and balances are read only after the signer has said that the app has the wallet', async () => {
  const { parts, paths, listed } = makeParts()
  await answerTransactions(parts, asked, 'w1', QUERY)
  await answerBalance(parts, asked, 'w1', { ...BALANCE, include_archived: true })
  expect(paths).toEqual([
    '/v1/wallets/w1?include_archived=false',
    '/v1/wallets/w1?include_archived=true',
  ])
  expect(listed).toEqual(['w1', 'w1'])
})

test('a wallet that the signer refuses has no transactions and no balances', async () => {
  const { parts, listed } = makeParts()
  const refusal = expect.objectContaining({ code: 'not_found' })
  await expect(answerTransactions(parts, asked, 'w2', QUERY)).rejects.toEqual(refusal)
  await expect(answerBalance(parts, asked, 'w2', BALANCE)).rejects.toEqual(refusal)
  expect(listed).toEqual([])
})
