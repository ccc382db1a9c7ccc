import { ADDRESS_PARAM } from '../argument/method-parameters.ts'
import { COUNT, DATA, FLAG, optional, required } from '../argument/parameter.ts'
import type { Method } from '../call/method.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { accounts } from '../eth/accounts.ts'
import { SYNC_WAIT_MS } from '../eth/transaction.ts'
import { devChainOf } from './driven.ts'
import { aliasedCommands, aliasedMethods } from './rows.ts'
import {
  ASKED_TRANSACTION,
  sendTransaction,
  sendTransactionSync,
  sendUnsignedTransaction,
  signedTransaction,
} from './send.ts'
import { signData, signTypedDataV4, TYPED_DATA } from './sign.ts'

const TRANSACTION = required('transaction', ASKED_TRANSACTION)
const MESSAGE = required('message', DATA)

function stopImpersonating(call: MethodCall, address: Uint8Array): boolean {
  return devChainOf(call).accounts.stopImpersonating(address)
}

/** Methods for accounts that the node signs for, or that may act without a signature. */
export const ACCOUNT_METHODS: readonly Method[] = [
  ...aliasedMethods(['eth_requestAccounts'], {
    params: [],
    result: 'as eth_accounts',
    run: accounts,
  }),
  ...aliasedMethods(['eth_sendTransaction'], {
    params: [TRANSACTION],
    result:
      'hash of the transaction, which the node fills in, signs and sends; sent unsigned for an impersonated account',
    run: sendTransaction,
  }),
  ...aliasedMethods(['eth_sendTransactionSync'], {
    params: [TRANSACTION, optional('timeoutMs', COUNT, SYNC_WAIT_MS)],
    result: 'receipt; error 4 with the hash if the transaction is not mined in time',
    run: sendTransactionSync,
  }),
  ...aliasedMethods(['eth_sendUnsignedTransaction'], {
    params: [TRANSACTION],
    result: 'hash of the transaction, sent as `from` without a signature',
    run: sendUnsignedTransaction,
  }),
  ...aliasedMethods(['eth_sign'], {
    params: [ADDRESS_PARAM, MESSAGE],
    result: 'signature of the message (EIP-191), 65 bytes',
    run: signData,
  }),
  ...aliasedMethods(['personal_sign'], {
    params: [MESSAGE, ADDRESS_PARAM],
    result: 'as eth_sign',
    run: (call, message, address) => signData(call, address, message),
  }),
  ...aliasedMethods(['eth_signTransaction'], {
    params: [TRANSACTION],
    result: 'network encoding of the transaction, filled in and signed, but not sent',
    run: signedTransaction,
  }),
  ...aliasedMethods(['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4'], {
    params: [ADDRESS_PARAM, required('typedData', TYPED_DATA)],
    result: 'signature of the typed data (EIP-712), 65 bytes',
    run: signTypedDataV4,
  }),

  ...aliasedCommands(['anvil_impersonateAccount', 'hardhat_impersonateAccount'], {
    params: [ADDRESS_PARAM],
    result:
      'eth_sendTransaction accepts transactions from the address without its key, also from a contract',
    run: (call, address) => devChainOf(call).accounts.impersonate(address),
  }),
  ...aliasedCommands(['anvil_stopImpersonatingAccount'], {
    params: [ADDRESS_PARAM],
    result: 'no longer',
    run: stopImpersonating,
  }),
  ...aliasedMethods(['hardhat_stopImpersonatingAccount'], {
    params: [ADDRESS_PARAM],
    result: 'true if it was impersonated',
    run: stopImpersonating,
  }),
  ...aliasedCommands(['anvil_autoImpersonateAccount', 'hardhat_autoImpersonateAccount'], {
    params: [required('enabled', FLAG)],
    result: 'every address may act without its key',
    run: (call, isOn) => {
      devChainOf(call).accounts.autoImpersonate = isOn
    },
  }),
]
