import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, formatQuantity, type Hex } from '../../../host/base/hex.ts'
import type { Dice } from '../../fuzz/dice.ts'
import { signAuthorization } from '../../support/peer/signer.ts'
import type { Question } from './question.ts'
import { AUTHORITIES, CHAIN_ID } from './transactions.ts'

const word = (value: bigint): Hex => formatData(bigintToBytes(value, 32))
const account = (value: bigint): Hex => formatData(bigintToBytes(value, 20))

/** Returns authorizations, some of them valid: each authority signs its current nonce or another. */
export function authorizationsOf(dice: Dice): object[] {
  return Array.from({ length: 1 + dice.below(3) }, () => {
    const signed = signAuthorization(dice.pick(AUTHORITIES), {
      chainId: dice.pick([0n, CHAIN_ID, CHAIN_ID, 1n]),
      address: bigintToBytes(dice.pick([0n, 4n, ...AUTHORITIES.map(({ address }) => address)]), 20),
      nonce: dice.pick([0n, 0n, 1n, 2n, (1n << 64n) - 1n]),
    })
    const isForged = dice.chance(0.2)
    return {
      chainId: formatQuantity(signed.chainId),
      address: formatData(signed.address),
      nonce: formatQuantity(signed.nonce),
      yParity: formatQuantity(isForged ? 1n - signed.yParity : signed.yParity),
      r: formatQuantity(signed.r),
      s: formatQuantity(isForged && dice.chance(0.5) ? 0n : signed.s),
    }
  })
}

/** Returns a call with random further members. */
function withMore(dice: Dice, call: object, accounts: readonly Hex[]): object {
  const fees = dice.pick([
    {},
    {},
    { gasPrice: dice.pick(['0x0', '0x3b9aca00']) },
    { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: dice.pick(['0x1', '0x77359401']) },
  ])
  const list = Array.from({ length: dice.below(3) }, () => ({
    address: dice.pick(accounts),
    storageKeys: [word(BigInt(dice.below(4)))],
  }))
  return {
    ...call,
    ...fees,
    ...(dice.chance(0.3) && { accessList: list }),
    ...(dice.chance(0.2) && { authorizationList: authorizationsOf(dice) }),
    ...(dice.chance(0.1) && { nonce: dice.pick(['0x0', '0x40', '0xffffffffffffffff']) }),
  }
}

function stateOverridesOf(dice: Dice, accounts: readonly Hex[]): object {
  const one = dice.pick(accounts)
  return dice.pick([
    {},
    { [one]: {} },
    { [one]: { balance: '0x0' }, [account(0x11n)]: { state: {} } },
    { [account(0x12n)]: { nonce: '0x0' }, [account(0x13n)]: { code: '0x', stateDiff: {} } },
    { [one]: { state: { [word(1n)]: word(9n), [word(2n)]: word(0n) }, balance: '0x5' } },
    { [one]: { code: '0x60003560005260206000a0600a80fd' } },
    { [account(2n)]: { movePrecompileToAddress: account(0x77n), code: '0x6001600055' } },
    { [one]: { movePrecompileToAddress: account(0x77n) } },
  ])
}

function blockOverridesOf(dice: Dice, head: number): object {
  return dice.pick([
    {},
    {},
    { number: formatQuantity(head + 1 + dice.below(5)) },
    { time: '0x70000000', prevRandao: word(5n) },
    { feeRecipient: dice.pick([account(0xfeen), account(1n)]), gasLimit: '0x1c9c380' },
    { baseFeePerGas: dice.pick(['0x0', '0x5', '0x77359400']), blobBaseFee: '0x9' },
    {
      withdrawals: [
        { index: '0x1', validatorIndex: '0x2', address: account(0xdeadn), amount: '0x3' },
        { index: '0x2', validatorIndex: '0x2', address: account(0xdead_0009n), amount: '0x0' },
      ],
    },
    { beaconRoot: word(0xbeac07n), gasLimit: '0x5208' },
    { difficulty: '0x1' },
  ])
}

/** Returns a simulation of some blocks with these calls and overrides of every kind. */
export function simulationQuestion(
  dice: Dice,
  calls: readonly object[],
  accounts: readonly Hex[],
  at: Hex | 'latest',
  head: number,
): Question {
  const height = at === 'latest' ? head : Number(at)
  const blocks = Array.from({ length: 1 + dice.below(3) }, () => ({
    calls: calls.slice(dice.below(calls.length)).map((call) => withMore(dice, call, accounts)),
    stateOverrides: stateOverridesOf(dice, accounts),
    blockOverrides: blockOverridesOf(dice, height),
  }))
  const options = {
    blockStateCalls: blocks,
    traceTransfers: dice.chance(0.5),
    returnFullTransactions: dice.chance(0.5),
    validation: dice.chance(0.2),
  }
  return { form: 'eth_simulateV1, varied', method: 'eth_simulateV1', params: [options, at] }
}
