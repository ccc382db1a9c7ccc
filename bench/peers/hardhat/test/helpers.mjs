import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expect } from 'chai'
import { network } from 'hardhat'

const ETHER = 10n ** 18n
const STRANGER = '0x00000000000000000000000000000000DeaDBeef'

describe('network helpers', () => {
  let connection
  let ethers
  let networkHelpers
  let time
  let untouched

  before(async () => {
    connection = await network.create()
    ;({ ethers, networkHelpers } = connection)
    time = networkHelpers.time
    untouched = await networkHelpers.takeSnapshot()
  })

  after(async () => {
    await untouched.restore()
    await connection.close()
  })

  /** Deploys a lock of a year. Tests share the deployment as a fixture. */
  async function deployLock() {
    const unlockTime = (await time.latest()) + 365 * 24 * 60 * 60
    const [owner, other] = await ethers.getSigners()
    const lock = await ethers.deployContract('Lock', [unlockTime], { value: ETHER })
    return { lock, owner, other, unlockTime }
  }

  async function deployToken() {
    const [owner, friend] = await ethers.getSigners()
    const token = await ethers.deployContract('Token', [1_000_000n])
    return { token, owner, friend }
  }

  describe('loadFixture', () => {
    it('deploys once, and reverts to that', async () => {
      const first = await networkHelpers.loadFixture(deployLock)
      const height = await time.latestBlock()
      await networkHelpers.mine(5)
      const second = await networkHelpers.loadFixture(deployLock)
      assert.equal(second.lock.target, first.lock.target)
      assert.equal(await time.latestBlock(), height)
    })

    it('switches between two fixtures', async () => {
      const { token, friend } = await networkHelpers.loadFixture(deployToken)
      await token.transfer(friend.address, 7n)
      assert.equal(await token.balanceOf(friend.address), 7n)
      await networkHelpers.loadFixture(deployLock)
      const again = await networkHelpers.loadFixture(deployToken)
      assert.equal(await again.token.balanceOf(friend.address), 0n)
    })

    it('reverts changes of every kind', async () => {
      const { lock } = await networkHelpers.loadFixture(deployLock)
      await networkHelpers.setBalance(lock.target, 0n)
      await networkHelpers.setCode(lock.target, '0x00')
      await networkHelpers.setNonce(STRANGER, 9)
      await networkHelpers.loadFixture(deployLock)
      assert.equal(await ethers.provider.getBalance(lock.target), ETHER)
      assert.notEqual(await ethers.provider.getCode(lock.target), '0x00')
      assert.equal(await ethers.provider.getTransactionCount(STRANGER), 0)
    })
  })

  describe('time', () => {
    it('stays locked until the unlock time', async () => {
      const { lock, unlockTime } = await networkHelpers.loadFixture(deployLock)
      await expect(lock.withdraw()).to.be.revertedWith('it is still locked')
      await time.setNextBlockTimestamp(unlockTime - 1)
      await expect(lock.withdraw()).to.be.revertedWith('it is still locked')
      await time.increaseTo(unlockTime)
      await expect(lock.withdraw())
        .to.emit(lock, 'Withdrawal')
        .withArgs(ETHER, unlockTime + 1)
    })

    it('rejects other accounts with a custom error', async () => {
      const { lock, other, unlockTime } = await networkHelpers.loadFixture(deployLock)
      await time.increaseTo(unlockTime)
      await expect(lock.connect(other).withdraw())
        .to.be.revertedWithCustomError(lock, 'NotOwner')
        .withArgs(other.address)
    })

    it('pays its owner', async () => {
      const { lock, owner, unlockTime } = await networkHelpers.loadFixture(deployLock)
      await time.increaseTo(unlockTime)
      await expect(() => lock.withdraw()).to.changeEtherBalances(
        ethers,
        [owner, lock],
        [ETHER, -ETHER],
      )
    })

    it('does not deploy a lock whose time has passed', async () => {
      const past = (await time.latest()) - 1
      const factory = await ethers.getContractFactory('Lock')
      await expect(factory.deploy(past)).to.be.revertedWith('unlock time is not in the future')
    })

    it('increases by seconds', async () => {
      const before = await time.latest()
      const after = await time.increase(time.duration.days(3))
      assert.equal(after, before + 3 * 24 * 60 * 60)
      assert.equal(await time.latest(), after)
    })

    it('jumps to a time, and sets that of the next block', async () => {
      const goal = (await time.latest()) + 1_000
      await time.increaseTo(goal)
      assert.equal(await time.latest(), goal)
      await time.setNextBlockTimestamp(goal + 77)
      await networkHelpers.mine()
      assert.equal(await time.latest(), goal + 77)
    })

    it('does not go backwards', async () => {
      const now = await time.latest()
      await assert.rejects(time.setNextBlockTimestamp(now - 1))
      await assert.rejects(time.increaseTo(now - 1))
      assert.equal(await time.latest(), now)
    })
  })

  describe('mine', () => {
    it('mines one block, and many at an interval', async () => {
      const height = await time.latestBlock()
      await networkHelpers.mine()
      assert.equal(await time.latestBlock(), height + 1)
      const start = await time.latest()
      await networkHelpers.mine(100, { interval: 15 })
      assert.equal(await time.latestBlock(), height + 101)
      assert.equal(await time.latest(), start + 1 + 99 * 15)
    })

    it('mines up to a height, but not below the latest', async () => {
      const height = await time.latestBlock()
      await networkHelpers.mineUpTo(height + 20)
      assert.equal(await time.latestBlock(), height + 20)
      await assert.rejects(networkHelpers.mineUpTo(height))
    })
  })

  describe('setters', () => {
    it('sets balance, nonce, code and a slot with immediate effect', async () => {
      await networkHelpers.setBalance(STRANGER, 123n * ETHER)
      assert.equal(await ethers.provider.getBalance(STRANGER), 123n * ETHER)
      await networkHelpers.setNonce(STRANGER, 42)
      assert.equal(await ethers.provider.getTransactionCount(STRANGER), 42)
      await networkHelpers.setCode(STRANGER, '0x602a60005260206000f3')
      assert.equal(await ethers.provider.getCode(STRANGER), '0x602a60005260206000f3')
      assert.equal(BigInt(await ethers.provider.call({ to: STRANGER })), 42n)
      await networkHelpers.setStorageAt(STRANGER, 3, 0xabcn)
      assert.equal(BigInt(await networkHelpers.getStorageAt(STRANGER, 3)), 0xabcn)
    })

    it('sets the parameters of the next block', async () => {
      const { token } = await networkHelpers.loadFixture(deployToken)
      await networkHelpers.setNextBlockBaseFeePerGas(3_000_000_000n)
      await networkHelpers.setPrevRandao(777n)
      await networkHelpers.setCoinbase(STRANGER)
      await networkHelpers.setBlockGasLimit(12_345_678n)
      await networkHelpers.mine()
      const block = await ethers.provider.getBlock('latest')
      assert.equal(block.baseFeePerGas, 3_000_000_000n)
      assert.equal(block.miner, STRANGER)
      assert.equal(block.gasLimit, 12_345_678n)
      const seen = await token.environment({ blockTag: 'latest' })
      assert.equal(seen.coinbase, STRANGER)
      assert.equal(seen.gasLimit, 12_345_678n)
      assert.equal(seen.randao, 777n)
    })
  })

  describe('impersonateAccount', () => {
    it('sends for a contract until it is stopped', async () => {
      const { token, owner } = await networkHelpers.loadFixture(deployToken)
      await token.transfer(token.target, 50n)
      await networkHelpers.impersonateAccount(token.target)
      await networkHelpers.setBalance(token.target, ETHER)
      const asToken = await ethers.getSigner(token.target)
      await expect(token.connect(asToken).transfer(owner.address, 50n))
        .to.emit(token, 'Transfer')
        .withArgs(token.target, owner.address, 50n)
      await networkHelpers.stopImpersonatingAccount(token.target)
      await assert.rejects(asToken.sendTransaction({ to: owner.address, value: 1n }))
    })

    it('returns an impersonated signer', async () => {
      const whale = await ethers.getImpersonatedSigner(STRANGER)
      await networkHelpers.setBalance(STRANGER, 2n * ETHER)
      const [owner] = await ethers.getSigners()
      await expect(() =>
        whale.sendTransaction({ to: owner.address, value: ETHER, gasPrice: 10_000_000_000n }),
      ).to.changeEtherBalance(ethers, owner, ETHER)
    })
  })

  describe('snapshots', () => {
    it('restore the state and the height repeatedly', async () => {
      const { token, friend } = await networkHelpers.loadFixture(deployToken)
      const snapshot = await networkHelpers.takeSnapshot()
      const height = await time.latestBlock()
      for (let round = 0; round < 3; round++) {
        const sent = await token.transfer(friend.address, 10n)
        assert.equal(await token.balanceOf(friend.address), 10n)
        await snapshot.restore()
        assert.equal(await token.balanceOf(friend.address), 0n)
        assert.equal(await time.latestBlock(), height)
        assert.equal(await ethers.provider.getTransactionReceipt(sent.hash), null)
      }
    })

    it('are deleted when an older one is restored', async () => {
      const older = await networkHelpers.takeSnapshot()
      const newer = await networkHelpers.takeSnapshot()
      await older.restore()
      await assert.rejects(newer.restore())
    })
  })

  describe('the pool', () => {
    it('drops a pending transaction', async () => {
      await connection.provider.request({ method: 'evm_setAutomine', params: [false] })
      try {
        const [owner, friend] = await ethers.getSigners()
        const nonce = await ethers.provider.getTransactionCount(owner.address)
        const waiting = await owner.sendTransaction({ to: friend.address, value: 1n })
        assert.equal(await networkHelpers.dropTransaction(waiting.hash), true)
        await networkHelpers.mine()
        assert.equal(await ethers.provider.getTransaction(waiting.hash), null)
        assert.equal(await ethers.provider.getTransactionCount(owner.address), nonce)
      } finally {
        await connection.provider.request({ method: 'evm_setAutomine', params: [true] })
      }
    })

    it('mines pending transactions in one block', async () => {
      await connection.provider.request({ method: 'evm_setAutomine', params: [false] })
      try {
        const signers = await ethers.getSigners()
        const sent = []
        for (const signer of signers.slice(0, 3)) {
          sent.push(await signer.sendTransaction({ to: STRANGER, value: 1n }))
        }
        await networkHelpers.mine()
        const receipts = await Promise.all(
          sent.map(({ hash }) => ethers.provider.getTransactionReceipt(hash)),
        )
        assert.equal(new Set(receipts.map(({ blockNumber }) => blockNumber)).size, 1)
      } finally {
        await connection.provider.request({ method: 'evm_setAutomine', params: [true] })
      }
    })
  })
})
