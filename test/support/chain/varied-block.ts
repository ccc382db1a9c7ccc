import { encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { type Dice, makeDice } from '../../fuzz/dice.ts'
import { compile } from '../contracts/solidity.ts'
import { devAccount } from '../node/dev-wallet.ts'

const PRICE = 20_000_000_000n
const SENDERS = 5

/** A contract with a wide mix of operations, and signed transactions that use them. */
export interface VariedBlock {
  /** Deploys the contract, to be mined before the others. */
  readonly deployment: Hex
  readonly transactions: readonly Hex[]
}

interface Signable {
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
}

/**
 * Signs `count` transactions of five unused development accounts: transfers, creations, and calls that store, log,
 * fail in every way, create, destroy, delegate, recurse and hash. None reads what differs between chains: time,
 * height, fees, the balance of a sender.
 */
export async function signVariedBlock(
  chainId: number,
  count: number,
  seed: number,
): Promise<VariedBlock> {
  const contracts = compile('Workload.sol')
  const workload = contracts.get('Workload') as { abi: readonly unknown[]; bytecode: Hex }
  const child = contracts.get('Child') as { bytecode: Hex }
  const dice = makeDice(seed)
  const nonces = new Array<number>(SENDERS).fill(0)
  const sign = (sender: number, { gas = 500_000n, ...fields }: Signable): Promise<Hex> => {
    const nonce = nonces[sender] as number
    nonces[sender] = nonce + 1
    const account = devAccount(sender)
    const common = { ...fields, chainId, nonce, gas }
    switch (dice.below(3)) {
      case 0:
        return account.signTransaction({ ...common, type: 'legacy', gasPrice: PRICE })
      case 1:
        return account.signTransaction({
          ...common,
          type: 'eip2930',
          gasPrice: PRICE,
          accessList: [{ address, storageKeys: [`0x${'00'.repeat(31)}03`] }],
        })
      default:
        return account.signTransaction({
          ...common,
          type: 'eip1559',
          maxFeePerGas: PRICE,
          maxPriorityFeePerGas: 1_000_000_000n,
        })
    }
  }
  const address = getContractAddress({
    from: devAccount(0).address,
    nonce: 0n,
  }).toLowerCase() as Hex
  const call = (functionName: string, ...args: unknown[]): Signable => ({
    to: address,
    data: encodeFunctionData({ abi: workload.abi, functionName, args } as never),
  })
  const deployment = await sign(0, { data: workload.bytecode, gas: 5_000_000n })
  const transactions: Hex[] = []
  for (let i = 0; i < count; i++) {
    transactions.push(await sign(i % SENDERS, anything(dice, call, address, child.bytecode)))
  }
  return { deployment, transactions }
}

const PLAIN: Hex = `0x${'00'.repeat(17)}c0ffee`

function anything(
  dice: Dice,
  call: (name: string, ...args: unknown[]) => Signable,
  workload: Hex,
  childCode: Hex,
): Signable {
  const small = () => BigInt(dice.below(20))
  const bytes = (): Hex => `0x${'5a'.repeat(dice.below(200))}`
  const salt = (): Hex =>
    `0x${dice.below(2) === 0 ? '00'.repeat(32) : `${'ab'.repeat(31)}0${dice.below(10)}`}`
  const initial = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
  switch (dice.below(18)) {
    case 0:
      return { to: PLAIN, value: small(), gas: 30_000n }
    case 1:
      return { to: workload, value: small() }
    case 2:
      // Its constructor fails for the number 13.
      return { data: `${childCode}${initial(dice.below(2) === 0 ? 13n : small()).slice(2)}` }
    case 3:
      return { to: workload, data: '0xdeadbeef' }
    case 4:
      return call('store', small(), small())
    case 5:
      return call('clear', small())
    case 6:
      return call('log', small(), bytes())
    case 7:
      return { ...call('fail', BigInt(dice.below(9))), gas: 60_000n }
    case 8:
      return { ...call('make', small(), salt()), value: small() }
    case 9:
      return call('tryMake', dice.below(2) === 0 ? 13n : small())
    case 10:
      return call('unmake', PLAIN)
    case 11:
      return call('attempt', BigInt(dice.below(9)), BigInt(1000 * dice.below(60)))
    case 12:
      return call('delegate', workload, call('store', small(), small()).data)
    case 13:
      return call('recurse', small())
    case 14:
      return call('hash', bytes())
    case 15:
      return call('probe', dice.below(2) === 0 ? workload : PLAIN)
    case 16:
      return call('transients', small(), small())
    default:
      // Runs out of gas at a random depth.
      return { ...call('recurse', 20n), gas: BigInt(40_000 + 1000 * dice.below(100)) }
  }
}
