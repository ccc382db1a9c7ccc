import { bigintToBytes, bytesToBigint } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { parseData } from '../../../base/hex.ts'
import { changedAccounts } from '../../../chain/dev/account-change.ts'
import { encodeAbiCall } from '../../../evm/chain-types/abi.ts'
import { PENDING } from '../argument/block-argument.ts'
import { CALL, type CallArgument } from '../argument/call-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { ethCall, slotsRead } from '../eth/call.ts'
import { devChainOf } from './driven.ts'

/** A storage slot of a contract. */
interface Slot {
  readonly address: Uint8Array
  readonly slot: Uint8Array
}

/** Two values to identify a slot: a token that returns a constant matches at most one of them. */
const PROBES = [0x1337n, 0x7331n]

const word = (value: bigint) => bigintToBytes(value, 32)

function view(token: Uint8Array, signature: string, accounts: readonly Uint8Array[]) {
  return { ...CALL.decode({}), to: token, data: encodeAbiCall(signature, accounts) }
}

/** Returns the token's result if the slot contains `value`, or undefined if the call fails. */
async function answerWith(
  call: MethodCall,
  question: CallArgument,
  { address, slot }: Slot,
  value: bigint,
): Promise<bigint | undefined> {
  const override = {
    address,
    balance: undefined,
    nonce: undefined,
    code: undefined,
    state: undefined,
    stateDiff: [{ slot, value: word(value) }],
    movePrecompileTo: undefined,
  }
  try {
    const output = parseData(await ethCall(call, question, PENDING, [override], undefined))
    return output.length >= 32 ? bytesToBigint(output.subarray(0, 32)) : undefined
  } catch (cause) {
    const isOfToken =
      cause instanceof LockstepError &&
      (cause.code === 'EXECUTION_REVERTED' || cause.code === 'EXECUTION_FAILED')
    if (isOfToken) return undefined
    throw cause
  }
}

async function isIt(call: MethodCall, question: CallArgument, slot: Slot): Promise<boolean> {
  for (const probe of PROBES) {
    if ((await answerWith(call, question, slot, probe)) !== probe) return false
  }
  return true
}

/** Among the slots that the call reads, finds the one whose value the token returns, and sets it. */
async function setAnswer(
  call: MethodCall,
  question: CallArgument,
  what: string,
  amount: bigint,
): Promise<void> {
  const { keccak256 } = call.context
  for (const found of await slotsRead(call, question)) {
    if (!(await isIt(call, question, found))) continue
    if ((await answerWith(call, question, found, amount)) !== amount) continue
    const { address, slot } = found
    const change = { address, storage: [{ slot, value: word(amount) }] }
    return devChainOf(call).amend((state) => changedAccounts(state, [change], keccak256))
  }
  throw new LockstepError('EXECUTION_FAILED', `Unable to set ERC20 ${what}, no slot found`, {
    hint: 'the token does not store it in a slot of its own: use hardhat_setStorageAt, or send it from an impersonated holder',
  })
}

export function dealErc20(
  call: MethodCall,
  account: Uint8Array,
  token: Uint8Array,
  balance: bigint,
): Promise<void> {
  return setAnswer(call, view(token, 'balanceOf(address)', [account]), 'balance', balance)
}

export function setErc20Allowance(
  call: MethodCall,
  owner: Uint8Array,
  spender: Uint8Array,
  token: Uint8Array,
  amount: bigint,
): Promise<void> {
  return setAnswer(
    call,
    view(token, 'allowance(address,address)', [owner, spender]),
    'allowance',
    amount,
  )
}
