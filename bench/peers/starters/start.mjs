import { createPool } from '@viem/anvil'
import { Instance, Server } from 'prool'

// Starts ANVIL_BINARY through each package, in its usual way, and prints what it saw as one line of JSON.

const binary = process.env.ANVIL_BINARY
const HOST = '127.0.0.1'

async function call(url, method, params = []) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** An instance for each path of one server, as in viem's tests. */
async function throughProol() {
  const instance = Instance.anvil({ binary, chainId: 123, accounts: 3, gasLimit: 20_000_000 })
  const server = Server.create({ instance, host: HOST, port: 0 })
  const stop = await server.start()
  const url = `http://${HOST}:${server.address().port}`
  const heights = []
  for (const [id, blocks] of [
    [1, 1],
    [2, 4],
  ]) {
    await call(`${url}/${id}`, 'anvil_mine', [blocks])
    heights.push(await call(`${url}/${id}`, 'eth_blockNumber'))
  }
  const accounts = await call(`${url}/1`, 'eth_accounts')
  const { gasLimit } = await call(`${url}/1`, 'eth_getBlockByNumber', ['latest', false])
  await fetch(`${url}/1/restart`)
  const restarted = await call(`${url}/1`, 'eth_blockNumber')
  const chainId = await call(`${url}/2`, 'eth_chainId')
  await stop()
  return { chainId, accounts: accounts.length, gasLimit, heights, restarted }
}

async function throughViemAnvil() {
  const pool = createPool({ instanceLimit: 2 })
  const options = { anvilBinary: binary, startTimeout: 120_000, balance: 7, blockTime: 3600 }
  const [one, two] = await Promise.all([pool.start(1, options), pool.start(2, options)])
  const urls = [one, two].map(({ port }) => `http://${HOST}:${port}`)
  const [account] = await call(urls[0], 'eth_accounts')
  const balance = await call(urls[0], 'eth_getBalance', [account, 'latest'])
  await call(urls[1], 'evm_mine')
  const heights = await Promise.all(urls.map((url) => call(url, 'eth_blockNumber')))
  const { status } = one
  await pool.empty()
  return { status, balance, heights, after: one.status }
}

console.log(JSON.stringify({ prool: await throughProol(), viemAnvil: await throughViemAnvil() }))
process.exit(0)
