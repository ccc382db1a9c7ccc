import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { checkForm, type LightBlock } from './light-block.ts'
import { checkCommit, refuseExpired, type TrustRules, verifyLater, verifyParent } from './verify.ts'

/** A node that provides light blocks. It is not trusted. */
export interface LightProvider {
  /** Name for messages. */
  readonly name: string
  /** @throws PEER_INVALID, NODE_UNREACHABLE, NOT_FOUND if it has no such block */
  lightBlock(height: number): Promise<LightBlock>
}

export interface LightClientOptions {
  readonly rules: TrustRules
  /** Provides all blocks. */
  readonly primary: LightProvider
  /** Confirm the blocks of the primary. */
  readonly witnesses: readonly LightProvider[]
  /** Height and hash of the initially trusted block. */
  readonly trustHeight: number
  readonly trustHash: Uint8Array
  /** Returns nanoseconds since 1970. */
  readonly now: () => bigint
  /** Called if a witness could not confirm a block. */
  readonly onSilent?: (witness: LightProvider, error: unknown) => void
}

/**
 * Light client: finds the chain's block at a height from untrusted nodes. It proceeds from one trusted block to any
 * other in as few steps as the validator changes allow, and lets the witnesses confirm the last one.
 */
export class LightClient {
  readonly #options: LightClientOptions
  /** Proven blocks, in ascending order. */
  readonly #proven: LightBlock[]

  private constructor(options: LightClientOptions, trusted: LightBlock) {
    this.#options = options
    this.#proven = [trusted]
  }

  /**
   * Opens a client at its trusted block.
   * @throws UNTRUSTED if the trusted block is too old or differs from the primary's, and what the provider throws
   */
  static async open(options: LightClientOptions): Promise<LightClient> {
    const { rules, primary, trustHeight, trustHash, now } = options
    const block = await primary.lightBlock(trustHeight)
    checkForm(rules.chainId, block)
    if (block.header.height !== trustHeight || !equalBytes(block.commit.blockId.hash, trustHash)) {
      const [want, got] = [trustHash, block.commit.blockId.hash].map((hash) =>
        hexDigits(hash).toUpperCase(),
      )
      throw new LockstepError(
        'UNTRUSTED',
        `${primary.name} has block ${got} at height ${block.header.height}, but trusted is ${want} at ${trustHeight}`,
      )
    }
    refuseExpired(block.header, rules, now())
    // Its validators vouch for later blocks: they must have decided it, even if its hash is known.
    checkCommit(block, rules)
    const client = new LightClient(options, block)
    await client.#confirm(block)
    return client
  }

  /**
   * Returns the chain's block at a height.
   * @throws PEER_INVALID if the primary returns no block that can be proven, UNTRUSTED if a witness has another one,
   * and what the provider throws
   */
  async verify(height: number): Promise<LightBlock> {
    const known = this.#proven.find(({ header }) => header.height === height)
    if (known !== undefined) return known
    const below = this.#proven.findLast(({ header }) => header.height < height)
    const block =
      below === undefined
        ? await this.#goBack(height)
        : await this.#goForth(this.#options.primary, below, height)
    await this.#confirm(block)
    this.#proven.push(block)
    this.#proven.sort((a, b) => a.header.height - b.header.height)
    return block
  }

  /** Proves a node's block at a height by bisection over blocks of the same node. */
  async #goForth(node: LightProvider, from: LightBlock, height: number): Promise<LightBlock> {
    const { rules, now } = this.#options
    let trusted = from
    // Blocks still to be proven, lowest last.
    const wanted = [await ask(node, height)]
    for (;;) {
      const block = wanted.at(-1) as LightBlock
      if (verifyLater(trusted, block, rules, now())) {
        if (wanted.length === 1) return block
        trusted = block
        wanted.pop()
        continue
      }
      const middle = Math.floor((trusted.header.height + block.header.height) / 2)
      if (middle <= trusted.header.height) {
        throw new LockstepError('PEER_INVALID', `${node.name} cannot prove block ${height}`)
      }
      wanted.push(await ask(node, middle))
    }
  }

  async #goBack(height: number): Promise<LightBlock> {
    const { primary, rules } = this.#options
    let { header } = this.#proven[0] as LightBlock
    for (;;) {
      const block = await ask(primary, header.height - 1)
      verifyParent(header, block, rules.chainId)
      if (block.header.height === height) return block
      header = block.header
    }
  }

  /** @throws UNTRUSTED if a witness has another block: one of the two nodes lies, but it is unknown which */
  async #confirm({ header, commit }: LightBlock): Promise<void> {
    const { primary, witnesses, rules, onSilent = () => {} } = this.#options
    for (const witness of witnesses) {
      let other: LightBlock
      try {
        other = await witness.lightBlock(header.height)
        checkForm(rules.chainId, other)
      } catch (error) {
        onSilent(witness, error)
        continue
      }
      if (equalBytes(other.commit.blockId.hash, commit.blockId.hash)) continue
      const fault = await this.#faultOf(witness, other)
      if (fault !== undefined) {
        onSilent(witness, fault)
        continue
      }
      const [ours, theirs] = [commit, other.commit].map(({ blockId }) =>
        hexDigits(blockId.hash).toUpperCase(),
      )
      throw new LockstepError(
        'UNTRUSTED',
        `${primary.name} has block ${ours} at height ${header.height}, ${witness.name} has ${theirs}: one of them lies`,
        {
          hint: 'ask someone you trust for the block hash of the chain, and leave the other server out',
        },
      )
    }
  }

  /** Returns why a witness's block is not part of the chain; undefined if the witness proves it. */
  async #faultOf(witness: LightProvider, { header, commit }: LightBlock): Promise<unknown> {
    const below = this.#proven.findLast(({ header: { height } }) => height < header.height)
    try {
      // The hashes of the trusted block and those below it are known.
      if (below === undefined) throw wrongBlock(witness, header.height)
      const proven = await this.#goForth(witness, below, header.height)
      if (!equalBytes(proven.commit.blockId.hash, commit.blockId.hash)) {
        throw wrongBlock(witness, header.height)
      }
      return undefined
    } catch (fault) {
      return fault
    }
  }
}

function wrongBlock({ name }: LightProvider, height: number): LockstepError {
  return new LockstepError('PEER_INVALID', `${name} has another block at height ${height}`)
}

/**
 * Fetches a light block.
 * @throws PEER_INVALID if the node returns another height
 */
async function ask(node: LightProvider, height: number): Promise<LightBlock> {
  const block = await node.lightBlock(height)
  if (block.header.height === height) return block
  throw new LockstepError(
    'PEER_INVALID',
    `${node.name} answers with block ${block.header.height} instead of ${height}`,
  )
}
