import { encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { compile } from '../test/support/contracts/solidity.ts'
import { devAccount } from '../test/support/node/dev-wallet.ts'

/** Signed transactions of one kind. `setup` is sent and mined first, one transaction after another, untimed. */
export interface SignedLoad {
  readonly kind: 'transfer' | 'erc20'
  /** Callee; undefined for transfers. */
  readonly contract?: Hex
  readonly setup: readonly Hex[]
  readonly transactions: readonly Hex[]
}

const SENDERS = 10
const FEES = { maxFeePerGas: 1_000_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const

/** Returns a fresh address per transaction, so that every transfer creates an account of its own. */
function recipient(index: number): Hex {
  return `0x${(0x1000000 + index).toString(16).padStart(40, 'f')}`
}

function sign(sender: number, nonce: number, chainId: number, call: object): Promise<Hex> {
  return devAccount(sender).signTransaction({ type: 'eip1559', chainId, nonce, ...FEES, ...call })
}

/** Signs `count` transfers of one wei from ten accounts to as many addresses, with nonces after those of `before`. */
export async function signTransfers(
  chainId: number,
  count: number,
  before?: SignedLoad,
): Promise<SignedLoad> {
  const used = (before?.transactions.length ?? 0) / SENDERS
  const transactions: Hex[] = []
  for (let i = 0; i < count; i++) {
    const sender = i % SENDERS
    const nonce = Math.floor(i / SENDERS) + used + (sender === 0 ? (before?.setup.length ?? 0) : 0)
    const call = { to: recipient(i), value: 1n, gas: 21_000n }
    transactions.push(await sign(sender, nonce, chainId, call))
  }
  return { kind: 'transfer', setup: [], transactions }
}

/** Signs `count` ERC-20 transfers from ten holders to as many addresses, after deployment and funding. */
export async function signTokenTransfers(chainId: number, count: number): Promise<SignedLoad> {
  const { abi, bytecode } = compile('Token.sol').get('Token') ?? { abi: [], bytecode: '0x' as Hex }
  const owner = devAccount(0)
  const token = getContractAddress({ from: owner.address, nonce: 0n })
  const transfer = (to: Hex, value: bigint): object => ({
    to: token,
    gas: 100_000n,
    data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] }),
  })
  const supply = 10n ** 24n
  const creation = { data: `${bytecode}${supply.toString(16).padStart(64, '0')}`, gas: 2_000_000n }
  const setup = [await sign(0, 0, chainId, creation)]
  for (let holder = 1; holder < SENDERS; holder++) {
    setup.push(await sign(0, holder, chainId, transfer(devAccount(holder).address, 10n ** 22n)))
  }
  const transactions: Hex[] = []
  for (let i = 0; i < count; i++) {
    const sender = i % SENDERS
    const nonce = Math.floor(i / SENDERS) + (sender === 0 ? SENDERS : 0)
    transactions.push(await sign(sender, nonce, chainId, transfer(recipient(i), 1n)))
  }
  return { kind: 'erc20', contract: token, setup, transactions }
}
