import { concat, encodeFunctionData, keccak256, pad } from 'viem'
import { compile } from '../../support/contracts/solidity.ts'
import {
  type HelperScene,
  PROBE,
  PROBE_CREATION,
  quantity,
  SCENARIO_TIME,
} from './helper-scenario.ts'

const { abi: TOKEN_ABI, bytecode } = compile('Token.sol').get('Token') ?? {
  abi: [],
  bytecode: '0x',
}
const TOKEN_CREATION = concat([bytecode, pad(quantity(10n ** 12n), { size: 32 })])

/** A family of scenarios: typical use of one group of helpers, in a random order. */
export type HelperFamily = (scene: HelperScene) => void

const MINE = ['hardhat_mine', 'anvil_mine']
const SNAPSHOT = ['evm_snapshot', 'anvil_snapshot']
const REVERT = ['evm_revert', 'anvil_revert']
const SET_BALANCE = ['hardhat_setBalance', 'anvil_setBalance', 'tenderly_setBalance']
const SET_NONCE = ['hardhat_setNonce', 'anvil_setNonce', 'evm_setAccountNonce']
const SET_CODE = ['hardhat_setCode', 'anvil_setCode']
const SET_STORAGE = ['hardhat_setStorageAt', 'anvil_setStorageAt']
const IMPERSONATE = ['hardhat_impersonateAccount', 'anvil_impersonateAccount']
const STOP_IMPERSONATING = ['hardhat_stopImpersonatingAccount', 'anvil_stopImpersonatingAccount']
const SET_TIME = ['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp']
const INCREASE_TIME = ['evm_increaseTime', 'anvil_increaseTime']
const SET_AUTOMINE = ['evm_setAutomine', 'anvil_setAutomine']
const GET_AUTOMINE = ['hardhat_getAutomine', 'anvil_getAutomine']
const DROP = ['hardhat_dropTransaction', 'anvil_dropTransaction']

function mining(scene: HelperScene): void {
  for (let i = 0; i < 4; i++) {
    const blocks = scene.dice.below(12)
    const kind = scene.dice.below(4)
    if (kind === 0) scene.alias(MINE, quantity(blocks))
    if (kind === 1) scene.alias(MINE, quantity(blocks), quantity(scene.dice.below(100)))
    if (kind === 2) scene.ask('evm_mine')
    if (kind === 3) scene.alias(MINE)
    scene.head()
  }
  const older = quantity(1 + scene.dice.below(3))
  scene.ask('eth_getBlockByNumber', older, false)
  scene.ask('eth_getBlockTransactionCountByNumber', older)
}

function timeByNumber(scene: HelperScene): void {
  let time = SCENARIO_TIME
  scene.alias(SET_TIME, SCENARIO_TIME - 1 - scene.dice.below(1000))
  for (let i = 0; i < 4; i++) {
    time += 1 + scene.dice.below(100_000)
    const kind = scene.dice.below(3)
    if (kind === 0) {
      scene.alias(SET_TIME, scene.dice.chance(0.5) ? time : quantity(time))
      scene.ask('eth_call', scene.probe('environment'), 'pending')
      scene.ask('evm_mine')
    }
    if (kind === 1) scene.ask('evm_mine', { timestamp: time })
    if (kind === 2) scene.ask('evm_mine', quantity(time))
    scene.head()
    scene.ask('eth_call', scene.probe('environment'), 'latest')
  }
  const step = 1 + scene.dice.below(600)
  scene.ask('anvil_setBlockTimestampInterval', step)
  scene.alias(MINE, quantity(3))
  scene.head()
  scene.ask('anvil_removeBlockTimestampInterval')
  scene.ask('anvil_removeBlockTimestampInterval')
}

function timeByClock(scene: HelperScene): void {
  scene.clock = true
  scene.ask('anvil_removeBlockTimestampInterval')
  const seconds = 1 + scene.dice.below(1_000_000)
  scene.alias(INCREASE_TIME, scene.dice.chance(0.5) ? seconds : quantity(seconds))
  scene.ask('evm_mine')
  scene.head()
  scene.alias(INCREASE_TIME, seconds)
  scene.send(scene.account(), scene.probe('record'))
  scene.ask('eth_call', scene.probe('recorded'), 'latest')
  scene.alias(['evm_setTime', 'anvil_setTime'], SCENARIO_TIME + 10_000_000 + scene.dice.below(1000))
  scene.ask('evm_mine')
  scene.head()
}

function amendments(scene: HelperScene): void {
  const who = scene.stranger()
  const slot = quantity(scene.dice.below(5))
  const word = pad(quantity(scene.dice.number(200)), { size: 32 })
  for (let i = 0; i < 5; i++) {
    const kind = scene.dice.below(6)
    if (kind === 0) scene.alias(SET_BALANCE, who, quantity(scene.dice.number(90)))
    if (kind === 1) scene.alias(SET_NONCE, who, quantity(scene.dice.below(1000)))
    if (kind === 2)
      scene.alias(SET_CODE, who, scene.dice.pick(['0x', '0x00', '0x60016000526001601ff3']))
    if (kind === 3) scene.alias(SET_STORAGE, scene.dice.pick([who, PROBE]), slot, word)
    if (kind === 4) scene.ask('anvil_addBalance', who, quantity(scene.dice.number(60)))
    if (kind === 5) scene.ask('evm_mine')
  }
  for (const block of ['latest', 'pending', '0x1']) {
    scene.ask('eth_getBalance', who, block)
    scene.ask('eth_getTransactionCount', who, block)
    scene.ask('eth_getCode', who, block)
    scene.ask('eth_getStorageAt', who, slot, block)
  }
  scene.ask('eth_getStorageAt', PROBE, slot, 'latest')
  scene.ask('eth_call', scene.probe('value'), 'latest')
  scene.send(scene.account(), scene.probe('set', scene.dice.number(100)))
  scene.ask('eth_call', scene.probe('value'), 'latest')
  scene.ask('eth_getBalance', who, 'latest')
}

function unlocked(scene: HelperScene): void {
  scene.ask('eth_accounts')
  const from = scene.account()
  const to = scene.dice.pick([scene.account(), scene.stranger()])
  const sent = scene.send(from, { to, value: quantity(scene.dice.number(60)) })
  scene.ask('eth_getTransactionByHash', sent)
  scene.ask('eth_getTransactionReceipt', sent)
  const value = quantity(scene.dice.below(3))
  const counted = scene.send(from, { ...scene.probe('count'), value })
  scene.ask('eth_getTransactionReceipt', counted)
  const what = scene.dice.below(4)
  const refused = scene.probe('refuse', BigInt(what))
  scene.ask('eth_call', { from, ...refused }, 'latest')
  scene.ask('eth_estimateGas', { from, ...refused })
  scene.send(from, refused)
  const created = scene.send(from, { data: PROBE_CREATION }, 2_000_000)
  scene.ask('eth_getTransactionReceipt', created)
  scene.ask('eth_getTransactionCount', from, 'latest')
  scene.ask('eth_getBalance', from, 'latest')
  scene.head()
  scene.ask('debug_traceTransaction', counted, { tracer: 'callTracer' })
  scene.ask('eth_sendTransaction', { from: scene.stranger(), to, value: '0x1' })
}

function filledIn(scene: HelperScene): void {
  const from = scene.account()
  const sent = scene.ask('eth_sendTransaction', {
    from,
    to: scene.account(),
    value: quantity(scene.dice.number(50)),
  })
  scene.ask('eth_getTransactionReceipt', sent)
  const legacy = scene.ask('eth_sendTransaction', {
    from,
    ...scene.probe('count'),
    gasPrice: quantity(3_000_000_000n),
  })
  scene.ask('eth_getTransactionReceipt', legacy)
  scene.ask('eth_sendTransaction', { from, to: scene.account(), value: '0x1', nonce: '0x0' })
  scene.ask('eth_sendTransaction', { from, to: scene.account(), value: quantity(1n << 120n) })
  scene.ask('eth_getTransactionCount', from, 'latest')
}

function impersonation(scene: HelperScene): void {
  const who = scene.dice.pick([scene.stranger(), PROBE])
  const to = scene.stranger()
  scene.send(who, { to, value: '0x1' })
  const isAuto = scene.dice.chance(0.3)
  if (isAuto) scene.ask('anvil_autoImpersonateAccount', true)
  else scene.alias(IMPERSONATE, who)
  scene.send(who, { to, value: '0x1' })
  scene.alias(SET_BALANCE, who, quantity(10n ** 19n))
  const sent = scene.send(who, { to, value: quantity(scene.dice.number(40)) })
  scene.ask('eth_getTransactionReceipt', sent)
  scene.ask('eth_getTransactionByHash', sent)
  const counted = scene.send(who, scene.probe('count'))
  scene.ask('eth_getTransactionReceipt', counted)
  scene.ask('eth_call', scene.probe('counts', who), 'latest')
  scene.ask('eth_getTransactionCount', who, 'latest')
  scene.ask('eth_getBalance', to, 'latest')
  scene.ask('debug_traceTransaction', counted, { tracer: 'callTracer' })
  if (isAuto) scene.ask('anvil_autoImpersonateAccount', false)
  else scene.alias(STOP_IMPERSONATING, who)
  scene.send(who, { to, value: '0x1' })
}

function snapshots(scene: HelperScene): void {
  const from = scene.account()
  const taken = [scene.alias(SNAPSHOT)]
  const look = () => {
    scene.ask('eth_blockNumber')
    scene.ask('eth_call', scene.probe('counts', from), 'latest')
    scene.ask('eth_getBalance', from, 'latest')
    scene.ask('eth_getTransactionCount', from, 'latest')
  }
  for (let i = 0; i < 8; i++) {
    const kind = scene.dice.below(5)
    if (kind === 0) taken.push(scene.alias(SNAPSHOT))
    if (kind === 1) scene.send(from, scene.probe('count'))
    if (kind === 2) scene.alias(MINE, quantity(1 + scene.dice.below(4)))
    if (kind === 3) scene.alias(SET_BALANCE, from, quantity(10n ** 20n + scene.dice.number(60)))
    if (kind === 4) {
      const back = scene.dice.below(taken.length)
      scene.alias(REVERT, taken[back])
      look()
      if (scene.dice.chance(0.5)) scene.alias(REVERT, taken[back])
      taken.push(scene.alias(SNAPSHOT))
    }
  }
  const sent = scene.send(from, scene.probe('count'))
  scene.alias(REVERT, taken[0])
  scene.ask('eth_getTransactionReceipt', sent)
  scene.ask('eth_getTransactionByHash', sent)
  look()
  scene.head()
  scene.alias(REVERT, '0xffff')
}

function pool(scene: HelperScene): void {
  scene.alias(SET_AUTOMINE, false)
  scene.alias(GET_AUTOMINE)
  const senders = [0, 1, 2].map((index) => scene.account(index))
  const sent = senders.flatMap((from, i) =>
    Array.from({ length: 1 + scene.dice.below(3) }, () =>
      scene.send(
        from,
        { to: scene.account(), value: '0x1' },
        500_000,
        4_000_000_000n + BigInt(i) * 100_000_000n,
      ),
    ),
  )
  scene.ask('txpool_status')
  scene.ask('txpool_content')
  scene.ask('eth_getTransactionByHash', sent[0])
  scene.ask('eth_getTransactionReceipt', sent[0])
  scene.ask('eth_getTransactionCount', senders[0], 'pending')
  scene.ask('eth_getTransactionCount', senders[0], 'latest')
  const kind = scene.dice.below(4)
  if (kind === 0) scene.alias(DROP, sent[sent.length - 1])
  if (kind === 1) scene.ask('anvil_dropAllTransactions')
  if (kind === 2) scene.ask('anvil_removePoolTransactions', senders[1])
  scene.ask('txpool_status')
  scene.ask('eth_getBlockByNumber', 'pending', false)
  scene.ask('evm_mine')
  scene.ask('eth_getBlockByNumber', 'latest', true)
  scene.ask('txpool_status')
  scene.alias(SET_AUTOMINE, true)
  scene.send(senders[0] as never, { to: scene.account(), value: '0x2' })
  scene.head()
}

function nextBlock(scene: HelperScene): void {
  const from = scene.account()
  const fee = quantity(100_000_000n + scene.dice.number(30))
  scene.alias(['hardhat_setCoinbase', 'anvil_setCoinbase'], scene.stranger())
  for (let i = 0; i < 3; i++) {
    const kind = scene.dice.below(4)
    if (kind === 0)
      scene.alias(['hardhat_setNextBlockBaseFeePerGas', 'anvil_setNextBlockBaseFeePerGas'], fee)
    if (kind === 1) scene.alias(['hardhat_setCoinbase', 'anvil_setCoinbase'], scene.stranger())
    if (kind === 2)
      scene.ask('hardhat_setPrevRandao', pad(quantity(scene.dice.number(250)), { size: 32 }))
    if (kind === 3) {
      scene.alias(
        ['evm_setBlockGasLimit', 'anvil_setBlockGasLimit'],
        quantity(15_000_000 + scene.dice.below(10_000_000)),
      )
    }
  }
  scene.ask('hardhat_setNextBlockBaseFeePerGas', fee)
  scene.send(from, scene.probe('record'))
  scene.ask('eth_call', scene.probe('recorded'), 'latest')
  scene.head()
  scene.ask('eth_coinbase')
  scene.ask('evm_mine')
  scene.head()
  scene.ask('eth_feeHistory', '0x2', 'latest', [50])
}

function filters(scene: HelperScene): void {
  const from = scene.account()
  const logs = scene.ask('eth_newFilter', { address: PROBE })
  const blocks = scene.ask('eth_newBlockFilter')
  scene.send(from, scene.probe('count'))
  scene.ask('eth_getFilterChanges', logs)
  const taken = scene.alias(SNAPSHOT)
  scene.send(from, scene.probe('count'))
  if (scene.dice.chance(0.5)) scene.ask('evm_mine')
  scene.ask('eth_getLogs', { address: PROBE, fromBlock: '0x0', toBlock: 'latest' })
  scene.alias(REVERT, taken)
  scene.ask('eth_getLogs', { address: PROBE, fromBlock: '0x0', toBlock: 'latest' })
  scene.send(from, scene.probe('count'))
  scene.ask('eth_getLogs', { address: PROBE, fromBlock: 'latest' })
  scene.ask('eth_uninstallFilter', logs)
  scene.ask('eth_uninstallFilter', blocks)
}

function signing(scene: HelperScene): void {
  const who = scene.account()
  const message = `0x${Buffer.from(scene.dice.bytes(1 + scene.dice.below(80))).toString('hex')}`
  scene.ask('eth_sign', who, message)
  scene.ask('personal_sign', message, who)
  const typed = {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallets', type: 'address[]' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'contents', type: 'bytes' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'Mail',
    domain: { name: 'Mail', chainId: 31_337, verifyingContract: PROBE },
    message: {
      from: { name: 'Someone', wallets: [scene.stranger(), scene.stranger()] },
      contents: message,
      amount: scene.dice.number(200).toString(),
    },
  }
  scene.ask('eth_signTypedData_v4', who, typed)
  scene.ask('eth_signTypedData_v4', who, JSON.stringify(typed))
  const raw = scene.ask('eth_signTransaction', {
    from: who,
    to: scene.stranger(),
    value: '0x1',
    nonce: '0x0',
    gas: '0x5208',
    chainId: '0x7a69',
    maxFeePerGas: quantity(4_000_000_000n),
    maxPriorityFeePerGas: quantity(4_000_000_000n),
  })
  const sent = scene.ask('eth_sendRawTransaction', raw)
  scene.ask('eth_getTransactionReceipt', sent)
  scene.ask('eth_sign', scene.stranger(), message)
  scene.ask('eth_sign', who, 'no hex')
}

function state(scene: HelperScene): void {
  const from = scene.account()
  const who = scene.stranger()
  scene.send(from, scene.probe('set', scene.dice.number(100)))
  const dumped = scene.alias(['anvil_dumpState', 'hardhat_dumpState'])
  scene.send(from, scene.probe('set', scene.dice.number(100)))
  scene.alias(SET_BALANCE, who, quantity(scene.dice.number(80)))
  if (scene.dice.chance(0.5)) scene.ask('anvil_reset')
  scene.alias(['anvil_loadState', 'hardhat_loadState'], dumped)
  scene.ask('eth_call', scene.probe('value'), 'latest')
  scene.ask('eth_getTransactionCount', from, 'latest')
  scene.ask('eth_getCode', PROBE, 'latest')
}

function reset(scene: HelperScene): void {
  const from = scene.account()
  const sent = scene.send(from, scene.probe('count'))
  const taken = scene.alias(SNAPSHOT)
  scene.alias(MINE, quantity(scene.dice.below(5)))
  scene.alias(['hardhat_reset', 'anvil_reset'])
  scene.ask('eth_blockNumber')
  scene.ask('eth_getTransactionReceipt', sent)
  scene.ask('eth_getTransactionCount', from, 'latest')
  scene.ask('eth_getBalance', from, 'latest')
  scene.ask('eth_getCode', PROBE, 'latest')
  scene.send(from, { to: scene.stranger(), value: '0x1' })
  scene.ask('eth_blockNumber')
  // Last, since anvil reverts to the height of a snapshot that it reports as unknown.
  scene.alias(REVERT, taken)
}

/** Reads of the node's own description, and settings that are read back. */
function settings(scene: HelperScene): void {
  scene.ask('web3_clientVersion')
  scene.ask('eth_chainId')
  scene.ask('net_version')
  const interval = 1000 + scene.dice.below(1000)
  scene.ask('anvil_nodeInfo')
  scene.alias(['anvil_metadata', 'hardhat_metadata'])
  scene.alias(['evm_setIntervalMining', 'anvil_setIntervalMining'], interval)
  scene.ask('anvil_getIntervalMining')
  scene.ask('evm_setIntervalMining', 0)
  scene.ask('anvil_getIntervalMining')
  scene.alias(GET_AUTOMINE)
  scene.alias(SET_AUTOMINE, true)
  scene.alias(GET_AUTOMINE)
  scene.ask('anvil_setMinGasPrice', quantity(scene.dice.number(30)))
  scene.alias(['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'], false)
  scene.ask('eth_gasPrice')
  scene.ask('eth_maxPriorityFeePerGas')
}

/** anvil's methods that execution-apis does not define. */
function lookups(scene: HelperScene): void {
  const from = scene.account()
  const who = scene.stranger()
  scene.alias(SET_BALANCE, who, quantity(scene.dice.number(80)))
  scene.alias(SET_NONCE, who, quantity(scene.dice.below(1000)))
  scene.send(from, scene.probe('count'))
  scene.send(from, scene.probe('set', scene.dice.number(100)))
  const block = scene.dice.pick(['latest', 'pending', '0x1'])
  for (const address of [from, who, PROBE]) scene.ask('eth_getAccountInfo', address, block)
  for (const nonce of [0, 1, 2]) {
    scene.ask(
      'eth_getTransactionBySenderAndNonce',
      from,
      scene.dice.chance(0.5) ? nonce : quantity(nonce),
    )
  }
  scene.alias(SET_AUTOMINE, false)
  scene.send(from, { to: who, value: '0x1' })
  scene.ask('eth_getTransactionBySenderAndNonce', from, '0x2')
  scene.ask('eth_hashrate')
  scene.ask('eth_networkId')
  scene.ask('eth_getAccount', from, 'latest')
  scene.ask('debug_dbGet', keccak256('0x'))
  // Sets the value that it already has.
  scene.ask('anvil_setChainId', 31_337)
  scene.ask('anvil_getBlobsByTransactionHash', keccak256('0x01'))
  scene.ask('anvil_getBlobByHash', keccak256('0x01'))
}

function tokens(scene: HelperScene): void {
  const owner = scene.account()
  const who = scene.stranger()
  const spender = scene.account()
  const amount = scene.dice.number(100)
  const created = scene.send(owner, { data: TOKEN_CREATION }, 2_000_000)
  const token = { ...scene.ask('eth_getTransactionReceipt', created), member: 'contractAddress' }
  scene.ask('anvil_dealERC20', who, token, quantity(amount))
  const balanceOf = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [who] })
  scene.ask('eth_call', { to: token, data: balanceOf }, 'latest')
  scene.ask('anvil_setERC20Allowance', who, spender, token, quantity(amount))
  const args = [who, spender]
  const allowance = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args })
  scene.ask('eth_call', { to: token, data: allowance }, 'latest')
  const transferFrom = encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'transferFrom',
    args: [who, spender, amount / 2n],
  })
  const moved = scene.send(spender, { to: token, data: transferFrom })
  scene.ask('eth_getTransactionReceipt', moved)
  scene.ask('eth_call', { to: token, data: balanceOf }, 'latest')
  scene.ask('anvil_dealERC20', who, PROBE, quantity(amount))
}

function rewriting(scene: HelperScene): void {
  const from = scene.account()
  const sent = scene.send(from, scene.probe('count'))
  scene.alias(MINE, quantity(2 + scene.dice.below(4)))
  scene.send(from, scene.probe('count'))
  const depth = 1 + scene.dice.below(3)
  if (scene.dice.chance(0.5)) {
    scene.ask('anvil_rollback', depth)
  } else {
    scene.ask(
      'anvil_reorg',
      depth,
      scene.dice.chance(0.5) ? [] : [[{ from, to: scene.account(), value: '0x5' }, 0]],
    )
  }
  scene.ask('eth_blockNumber')
  scene.ask('eth_getTransactionReceipt', sent)
  scene.ask('eth_call', scene.probe('counts', from), 'latest')
  scene.ask('eth_getTransactionCount', from, 'latest')
  scene.ask('eth_getBlockByNumber', 'latest', true)
}

function detailed(scene: HelperScene): void {
  scene.alias(SET_AUTOMINE, false)
  const from = scene.account()
  scene.send(from, scene.probe('count'))
  scene.send(from, scene.probe('refuse', BigInt(scene.dice.below(4))))
  scene.send(from, { to: PROBE, value: '0x1' })
  scene.ask('evm_mine_detailed')
  scene.send(from, { to: scene.stranger(), value: '0x1' })
  scene.send(from, { data: scene.dice.pick(['0xfe', '0x60006000fd', PROBE_CREATION]) }, 2_000_000)
  scene.ask('anvil_mine_detailed')
}

/** Parameters that no helper accepts. */
function refusals(scene: HelperScene): void {
  const bad: readonly (readonly [string, ...unknown[]])[] = [
    ['hardhat_setBalance', '0x12', '0x1'],
    ['hardhat_setBalance', scene.stranger()],
    ['hardhat_setBalance', scene.stranger(), 'much'],
    ['hardhat_setNonce', scene.stranger(), '0x1ffffffffffffffff'],
    ['hardhat_setCode', scene.stranger(), 'code'],
    ['hardhat_setCode', scene.stranger(), '0x123'],
    ['hardhat_setStorageAt', scene.stranger(), '0x0'],
    ['hardhat_impersonateAccount'],
    ['hardhat_impersonateAccount', '0x1234'],
    ['evm_revert'],
    ['evm_revert', 'first'],
    ['evm_setAutomine', 'yes'],
    ['evm_setAutomine'],
    ['evm_setIntervalMining', 'soon'],
    ['evm_setNextBlockTimestamp'],
    ['evm_setNextBlockTimestamp', '2030-01-01'],
    ['evm_increaseTime', 'long'],
    ['evm_setBlockGasLimit', -1],
    ['hardhat_mine', 'many'],
    ['hardhat_setCoinbase', '0x'],
    ['hardhat_setNextBlockBaseFeePerGas', 'cheap'],
    ['hardhat_dropTransaction', '0x01'],
    ['hardhat_dropTransaction', keccak256('0x01')],
    ['anvil_loadState', '0x00'],
    ['anvil_rollback', 1000],
    ['anvil_reorg', 1000, []],
    ['anvil_nothing'],
    ['hardhat_nothing'],
    ['evm_nothing'],
  ]
  for (let i = 0; i < 10; i++) scene.ask(...scene.dice.pick(bad))
  scene.head()
}

export const HELPER_FAMILIES: Readonly<Record<string, HelperFamily>> = {
  mining,
  timeByNumber,
  timeByClock,
  amendments,
  unlocked,
  filledIn,
  impersonation,
  snapshots,
  pool,
  nextBlock,
  filters,
  signing,
  state,
  reset,
  settings,
  lookups,
  tokens,
  rewriting,
  detailed,
  refusals,
}
