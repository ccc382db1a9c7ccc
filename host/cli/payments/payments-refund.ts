import { type Command, Option } from 'commander'
import { PASSPHRASE_VARIABLE } from '../../base/config/environment.ts'
import type { Hex } from '../../base/hex.ts'
import { nobleRecovery } from '../../evm/chain-types/noble-recovery.ts'
import { openRpcChain } from '../../payments/chain/rpc-chain.ts'
import { sendRefund } from '../../payments/settle/send-refund.ts'
import { readSettlerKey } from '../../payments/settle/settler-key.ts'
import { evmUrl, nodeOption } from '../client/node-address.ts'
import { chooseHome } from '../option/home-option.ts'
import { type FoundPayment, findPayment } from './find-payment.ts'
import { addLedgerFlags, type LedgerFlags, withLedger } from './ledger-of.ts'
import { parseHash } from './payment-filter.ts'
import { amountText, formOf, type PaymentForm } from './payment-form.ts'

interface RefundFlags extends LedgerFlags {
  readonly transaction?: string
  readonly key?: string
  readonly node?: string
  readonly replace?: true
  readonly json?: true
}

/** How long to wait for a block. */
const DEADLINE_MS = 30_000

/** Sends a refund, or the one that an earlier command has begun. */
async function send(
  { record, ledger }: FoundPayment,
  { home, key: file, node, replace }: RefundFlags,
): Promise<PaymentForm> {
  const chain = await openRpcChain(evmUrl(chooseHome(home), node))
  const passphrase = process.env[PASSPHRASE_VARIABLE]
  const key = file === undefined ? undefined : await readSettlerKey(file, passphrase)
  const options = { ledger, chain, recovery: nobleRecovery, key, deadlineMs: DEADLINE_MS }
  return formOf(await sendRefund(record, { ...options, replaces: replace === true }), ledger)
}

async function recordRefund({ record, ledger }: FoundPayment, txHash: Hex): Promise<PaymentForm> {
  return formOf(await ledger.refund(record.key, txHash), ledger)
}

export function definePaymentsRefund(command: Command): void {
  addLedgerFlags(
    command.argument('<id>', 'hash of the transaction that paid, or the id of an authorization'),
  )
    .addOption(
      new Option(
        '--key <FILE>',
        `key of the account that refunds: 64 hex digits, or a keystore with its passphrase in ${PASSPHRASE_VARIABLE}; a refund that was begun needs none`,
      ),
    )
    .addOption(nodeOption())
    .addOption(
      new Option(
        '--replace',
        'begin again if another transaction has taken the nonce of the refund that was begun',
      ),
    )
    .addOption(
      new Option(
        '--transaction <HASH>',
        'record this transaction as the refund, and send none',
      ).conflicts(['key', 'replace']),
    )
    .option('--json', 'print the payment as an object')
    .action(async (text: string, flags: RefundFlags) => {
      const id = parseHash(text, '<id>')
      const given =
        flags.transaction === undefined ? undefined : parseHash(flags.transaction, '--transaction')
      const form = await withLedger(flags, async (ledger) => {
        const found = await findPayment(ledger, id)
        return given === undefined ? send(found, flags) : recordRefund(found, given)
      })
      const paid = `${amountText(form)} to ${form.payer}`
      const sentence =
        given === undefined
          ? `Refunded ${paid} by ${form.refundTransaction}\n`
          : `Recorded the refund of ${paid} by ${given}\n`
      process.stdout.write(flags.json === true ? `${JSON.stringify(form)}\n` : sentence)
    })
}
