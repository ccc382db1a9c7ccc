import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expect } from 'chai'
import { network } from 'hardhat'

describe('hardhat-ethers', () => {
  let connection
  let ethers
  let untouched

  before(async () => {
    connection = await network.create()
    ethers = connection.ethers
    untouched = await connection.networkHelpers.takeSnapshot()
  })

  after(async () => {
    await untouched.restore()
    await connection.close()
  })

  it('returns signers of the unlocked accounts', async () => {
    const signers = await ethers.getSigners()
    assert.equal(signers[0].address, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    assert.equal((await ethers.getSigner(signers[1].address)).address, signers[1].address)
  })

  it('deploys, attaches and calls', async () => {
    const [owner, friend] = await ethers.getSigners()
    const token = await ethers.deployContract('Token', [500n])
    const attached = await ethers.getContractAt('Token', token.target)
    assert.equal(await attached.balanceOf(owner.address), 500n)
    const sent = await attached.transfer(friend.address, 20n)
    const receipt = await sent.wait()
    assert.equal(receipt.status, 1)
    assert.equal(receipt.logs.length, 1)
    await expect(attached.connect(friend).transfer(owner.address, 21n)).to.be.revertedWith(
      'balance too low',
    )
    await expect(attached.transfer(friend.address, 5n)).to.changeTokenBalances(
      ethers,
      attached,
      [owner, friend],
      [-5n, 5n],
    )
  })

  it('signs messages and typed data with the node', async () => {
    const [owner] = await ethers.getSigners()
    const message = 'signed by the node'
    assert.equal(ethers.verifyMessage(message, await owner.signMessage(message)), owner.address)
    const domain = { name: 'Peer', chainId: (await ethers.provider.getNetwork()).chainId }
    const types = { Order: [{ name: 'amount', type: 'uint256' }] }
    const signature = await owner.signTypedData(domain, types, { amount: 5n })
    assert.equal(ethers.verifyTypedData(domain, types, { amount: 5n }, signature), owner.address)
  })

  it('estimates gas and returns fees', async () => {
    const [owner, friend] = await ethers.getSigners()
    // Hardhat's own node estimates one more.
    const estimated = await owner.estimateGas({ to: friend.address, value: 1n })
    assert.ok(estimated === 21_000n || estimated === 21_001n)
    const { maxFeePerGas, maxPriorityFeePerGas } = await ethers.provider.getFeeData()
    assert.ok(maxFeePerGas >= maxPriorityFeePerGas)
  })

  it('finds past events', async () => {
    const [, friend] = await ethers.getSigners()
    const token = await ethers.deployContract('Token', [9n])
    await token.transfer(friend.address, 4n)
    const events = await token.queryFilter(token.filters.Transfer(null, friend.address))
    assert.deepEqual(
      events.map(({ args }) => args.value),
      [4n],
    )
  })
})
