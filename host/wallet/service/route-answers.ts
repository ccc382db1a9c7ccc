import type { z } from 'zod'
import type {
  BalanceQuery,
  TransactionListQuery,
  TransactionReplaceBody,
} from '../protocol/chain-shapes.ts'
import type { FoundRoute } from '../protocol/find-route.ts'
import type { RpcBody } from '../protocol/rpc-shapes.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Asked } from '../signer/signer-link.ts'
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

/** What a route reads beside its path. */
export interface RouteInput {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Gives each route to who answers it. */
export class RouteAnswers {
  readonly #parts: PipelineParts
  readonly #document: unknown = openApiDocument()

  constructor(parts: PipelineParts) {
    this.#parts = parts
  }

  document(): unknown {
    return this.#document
  }

  /** @throws WalletError */
  async answer(
    { name, ids, route }: FoundRoute,
    asked: Asked,
    input: RouteInput,
  ): Promise<unknown> {
    const { wallet_id: walletId = '', transaction_id: transactionId = '' } = ids
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
      default:
        if (route.by === 'signer') return this.#parts.link.ask(asked)
        throw new WalletError('not_found', `there is no ${name}`)
    }
  }
}
