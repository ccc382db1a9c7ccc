import type { z } from 'zod'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import type {
  BalanceQuery,
  TransactionListQuery,
  TransactionReplaceBody,
} from '../protocol/chain-shapes.ts'
import type { FoundRoute } from '../protocol/find-route.ts'
import type { RouteName } from '../protocol/route-table.ts'
import type { RpcBody } from '../protocol/rpc-shapes.ts'
import type { ApiWallet } from '../protocol/wallet.ts'
import type { PageQuery } from '../protocol/wallet-shapes.ts'
import type { SignerRequest } from '../signer/signer-link.ts'
import type { WebhookInput, Webhooks } from '../webhook/webhooks.ts'
import { openApiDocument } from './open-api.ts'
import {
  answerBalance,
  answerRawSign,
  answerReplacement,
  answerRpc,
  answerTransaction,
  answerTransactions,
  type PipelineParts,
} from './pipeline-routes.ts'

/** Parsed query and body of a request. */
export interface RouteInput {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

export interface AnsweringParts extends PipelineParts {
  readonly webhooks: Webhooks
  /** The same as for the webhooks. */
  readonly commits: GroupCommit
}

/** Webhook events sent after the signer has executed a request. */
const EVENTS: Partial<Record<RouteName, string>> = {
  exportWallet: 'wallet.private_key_export',
  archiveWallet: 'wallet.archived',
  restoreWallet: 'wallet.restored',
}

/** Returns further members of wallet events, if the answer is a wallet. */
function addressOf(answer: unknown): Readonly<Record<string, unknown>> {
  const { address, chain_type } = answer as Partial<ApiWallet>
  return address === undefined ? {} : { wallet_address: address, chain_type }
}

/** Returns a page of a complete list. The cursor is the id of the last item before it. */
function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  { cursor, limit = all.length }: z.infer<typeof PageQuery>,
): { readonly data: readonly T[]; readonly next_cursor: string | null } {
  const from = all.findIndex(({ id }) => id === cursor) + 1
  const data = all.slice(from, from + limit)
  const isLast = from + limit >= all.length
  return { data, next_cursor: isLast ? null : (data.at(-1)?.id ?? null) }
}

/** Dispatches each route to the part that answers it. */
export class RouteAnswers {
  readonly #parts: AnsweringParts
  readonly #document: unknown = openApiDocument()

  constructor(parts: AnsweringParts) {
    this.#parts = parts
  }

  document(): unknown {
    return this.#document
  }

  /** Returns the wallet that sent a transaction of the app; undefined if there is none. */
  senderOf(appId: string, transactionId: string): string | undefined {
    return this.#parts.pipeline.find(appId, transactionId)?.wallet_id
  }

  /** Verifies the authorization that a request needs in addition to the app's secret. @throws WalletError */
  async authorize({ route }: FoundRoute, asked: SignerRequest): Promise<void> {
    if (route.authority === 'owner' || route.authority === 'signer') {
      await this.#parts.link.authorize(asked)
    }
  }

  /** @throws WalletError */
  async answer(
    { name, ids }: FoundRoute,
    asked: SignerRequest,
    input: RouteInput,
  ): Promise<unknown> {
    const {
      wallet_id: walletId = '',
      transaction_id: transactionId = '',
      webhook_id: id = '',
    } = ids
    const { webhooks } = this.#parts
    const { appId } = asked
    const { query, body } = input
    switch (name) {
      case 'walletRpc':
        return answerRpc(this.#parts, asked, walletId, body as RpcBody)
      case 'rawSign':
        return answerRawSign(this.#parts, asked)
      case 'walletBalance':
        return answerBalance(this.#parts, asked, walletId, query as z.infer<typeof BalanceQuery>)
      case 'listTransactions':
        return answerTransactions(
          this.#parts,
          asked,
          walletId,
          query as z.infer<typeof TransactionListQuery>,
        )
      case 'getTransaction':
        return answerTransaction(this.#parts, asked, transactionId)
      case 'replaceTransaction':
        return answerReplacement(
          this.#parts,
          asked,
          transactionId,
          body as z.infer<typeof TransactionReplaceBody>,
        )
      case 'createWebhook':
        return webhooks.create(appId, body as WebhookInput)
      case 'listWebhooks':
        return pageOf(webhooks.list(appId), query as z.infer<typeof PageQuery>)
      case 'getWebhook':
        return webhooks.find(appId, id)
      case 'updateWebhook':
        return webhooks.update(appId, id, body as WebhookInput)
      case 'rotateWebhook':
        return webhooks.rotate(appId, id)
      case 'deleteWebhook':
        await webhooks.remove(appId, id)
        return { success: true }
      default:
        return this.#askSigner(name, asked, walletId)
    }
  }

  async #askSigner(name: RouteName, asked: SignerRequest, walletId: string): Promise<unknown> {
    const { link, webhooks, commits } = this.#parts
    const answer = await link.ask(asked)
    const type = EVENTS[name]
    if (type !== undefined) {
      const event = { type, wallet_id: walletId, ...addressOf(answer) }
      await commits.run(() => webhooks.put(asked.appId, event))
    }
    return answer
  }
}
