// An agent of the published AgentKit. It reads its identity and its task from stdin and writes the results to stdout.
// It reaches only this machine. Requests to other hosts are refused and reported.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const folder = process.argv[2]
const load = createRequire(join(folder, 'package.json'))

const outside = new Set()
const fetchHere = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input)
  if (['127.0.0.1', 'localhost'].includes(hostname)) return fetchHere(input, init)
  outside.add(hostname)
  throw new Error(`${hostname} is out of reach`)
}
// The kit does not await its telemetry, whose refusal would otherwise end the process
process.on('unhandledRejection', () => undefined)

async function providerOf(kit, { provider, rpc, chainId, privateKey, service, walletAccount }) {
  if (provider === 'PrivyWalletProvider') {
    return kit.PrivyWalletProvider.configureWithWallet({ ...service, chainId: String(chainId), rpcUrl: rpc })
  }
  const { createWalletClient, http } = load('viem')
  const { privateKeyToAccount } = load('viem/accounts')
  const chain = Object.values(load('viem/chains')).find(({ id }) => id === chainId)
  const account = privateKey === undefined ? await walletAccount() : privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, chain, transport: http(rpc), pollingInterval: 50 })
  return new kit.ViemWalletProvider(client, { rpcUrl: rpc })
}

/** Returns a viem account whose key is in the wallet service, with the SDK of Lockstep. */
function accountOf({ sdk, service }) {
  return async () => {
    const { connectWallets, walletAccount } = await import(sdk)
    const { appId, appSecret, walletId, authorizationPrivateKey, url } = service
    const authorizationKeys = authorizationPrivateKey === undefined ? [] : [authorizationPrivateKey]
    const wallets = connectWallets({ url, appId, appSecret, authorizationKeys })
    return walletAccount(wallets, await wallets.getWallet({ walletId }))
  }
}

async function main() {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  const task = JSON.parse(text)
  const said = []
  for (const level of ['log', 'warn', 'error']) {
    console[level] = (...words) => said.push(words.map((word) => word.message ?? String(word)).join(' '))
  }
  const kit = load('@coinbase/agentkit')
  const walletProvider = await providerOf(kit, { ...task, walletAccount: accountOf(task) })
  const agent = await kit.AgentKit.from({
    walletProvider,
    actionProviders: [kit.walletActionProvider(), kit.erc20ActionProvider(), kit.wethActionProvider()],
  })
  const actions = agent.getActions()
  const results = []
  for (const { name, args } of task.actions) {
    results.push(await actions.find((action) => action.name === name).invoke(args))
  }
  const signed = task.message === undefined ? undefined : await walletProvider.signMessage(task.message)
  const names = actions.map(({ name }) => name)
  const facts = { address: walletProvider.getAddress(), network: walletProvider.getNetwork() }
  process.stdout.write(JSON.stringify({ ...facts, names, results, signed, said, outside: [...outside] }))
  process.exit(0)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
