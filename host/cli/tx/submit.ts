import { keccak_256 } from '@noble/hashes/sha3.js'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { checksumText, signWithKey } from '../../evm/chain-types/account-key.ts'
import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'
import { Keyring } from '../../wallet/keys/keyring.ts'
import { evmUrl, explorerPage } from '../client/node-address.ts'
import { formatEther } from '../option/amount.ts'
import { chooseHome } from '../option/home-option.ts'
import { existingPassphrase } from '../option/passphrase.ts'
import { askText, draft, type Intent } from './draft.ts'
import { printOutcome, waitForOutcome } from './outcome.ts'
import type { TxFlags } from './tx-flags.ts'

function printDraft(from: Uint8Array, transaction: UnsignedTransaction, json?: true): void {
  const { type, chainId, nonce, to, value, data, gas } = transaction
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const fee = gas * maxFeePerGas
  const fields = {
    from: checksumText(from),
    to: to === undefined ? null : checksumText(to),
    value: `${value}`,
    data: formatData(data),
    chainId: `${chainId}`,
    nonce: `${nonce}`,
    gas: `${gas}`,
    ...(type === 0
      ? { gasPrice: `${maxFeePerGas}` }
      : { maxFeePerGas: `${maxFeePerGas}`, maxPriorityFeePerGas: `${maxPriorityFeePerGas}` }),
    maxFee: `${fee}`,
  }
  if (json !== undefined) {
    process.stdout.write(`${JSON.stringify(fields)}\n`)
    return
  }
  const shown = { ...fields, value: formatEther(value), maxFee: formatEther(fee) }
  for (const [name, text] of Object.entries(shown)) {
    process.stdout.write(`${name.padEnd(21)} ${text ?? '(creates a contract)'}\n`)
  }
}

/** Returns an account by its address or by the name of a key. @throws NOT_FOUND */
export async function accountNamed(word: string, flags: TxFlags): Promise<Uint8Array> {
  if (/^0x[0-9a-fA-F]{40}$/.test(word)) return new Uint8Array(Buffer.from(word.slice(2), 'hex'))
  return (await new Keyring(chooseHome(flags.home).keystore).find(word)).address
}

/**
 * Fills in, signs and sends a transaction, waits for its block unless told not to, and prints the outcome. @throws
 * TRANSACTION_FAILED, TRANSACTION_REJECTED, ...
 */
export async function submitTransaction(
  from: string,
  intent: Intent,
  flags: TxFlags,
): Promise<void> {
  const home = chooseHome(flags.home)
  const url = evmUrl(home, flags.node)
  const keyring = new Keyring(home.keystore)
  const entry = await keyring.find(from)
  const transaction = await draft(url, entry.address, intent, flags)
  if (flags.dryRun !== undefined) return printDraft(entry.address, transaction, flags.json)
  const key = await keyring.unlock(entry, await existingPassphrase(flags.passwordFile, entry.name))
  const raw = signWithKey(transaction, key)
  const hash = formatData(keccak_256(raw))
  await askText(url, 'eth_sendRawTransaction', [formatData(raw)])
  if (!flags.wait) {
    process.stdout.write(flags.json === undefined ? `${hash}\n` : `${JSON.stringify({ hash })}\n`)
    return
  }
  const outcome = await waitForOutcome(url, hash, flags.timeout)
  printOutcome(outcome, flags.json)
  if (outcome.status === 'success') return
  const reason = outcome.reason === undefined ? '' : `: ${outcome.reason}`
  const page = explorerPage(home, url, hash)
  const look = page === undefined ? '' : `open ${page}, or `
  throw new LockstepError('TRANSACTION_FAILED', `the transaction failed${reason}`, {
    hint: `${look}record it with \`lockstep record ${hash} --url ${url}\` and trace it`,
  })
}
