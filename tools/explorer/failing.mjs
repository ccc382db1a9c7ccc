#!/usr/bin/env node
// Sends a failing transaction to a dev node and prints its hash and its link: a purchase in shop.sol without a payment. The
// compiler's output for the contracts goes to build/shop.json, which the explorer reads.
import { readFileSync, writeFileSync } from 'node:fs'
import solc from 'solc'
import { createWalletClient, encodeFunctionData, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains' // chain id 31337, port 8545

const source = readFileSync(new URL('shop.sol', import.meta.url), 'utf8')
const wanted = ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'storageLayout', 'metadata']
const input = {
  language: 'Solidity',
  sources: { 'shop.sol': { content: source } },
  settings: { outputSelection: { '*': { '*': wanted, '': ['ast'] } } },
}
const output = JSON.parse(solc.compile(JSON.stringify(input)))
writeFileSync(new URL('../../build/shop.json', import.meta.url), JSON.stringify({ input, output }))

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const client = createWalletClient({
  account,
  chain: hardhat,
  transport: http(process.argv[2]),
  pollingInterval: 100, // milliseconds
}).extend(publicActions)

const { abi, evm } = output.contracts['shop.sol'].Shop
const deployment = await client.deployContract({ abi, bytecode: `0x${evm.bytecode.object}` })
const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })

const data = encodeFunctionData({ abi, functionName: 'buy', args: [100n] })
// With an explicit gas limit, viem skips the estimate, which would fail before the transaction is sent.
const hash = await client.sendTransaction({ to: contractAddress, data, gas: 200_000n })
const { status } = await client.waitForTransactionReceipt({ hash })
console.log(`${hash} ${status}`)
console.log(new URL(`/explorer/tx/${hash}`, client.transport.url).href)
