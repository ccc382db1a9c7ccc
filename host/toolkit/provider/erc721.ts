import { z } from 'zod'
import type { Hex } from '../../base/hex.ts'
import { AbiCall } from '../abi-call.ts'
import { type ActionProvider, defineAction } from '../action.ts'
import { contextWallet } from '../action-context.ts'
import { ActionError } from '../action-error.ts'
import {
  addressArgument,
  addressOutput,
  integerInput,
  integerOutput,
  recipientInput,
  sending,
} from '../argument.ts'
import type { Chain } from '../chain.ts'
import { checksummed } from '../checksum.ts'
import { submissionShape, submissionText, submitAction } from '../submission.ts'
import { readTokenInteger, returnedText } from '../token.ts'

const OWNER_OF = new AbiCall('function ownerOf(uint256) view returns (address)')
const BALANCE_OF = new AbiCall('function balanceOf(address) view returns (uint256)')
const SAFE_TRANSFER = new AbiCall('function safeTransferFrom(address, address, uint256)')
const NAME: Hex = '0x06fdde03'

const shape = {
  collection: addressOutput,
  name: z.string().describe("the collection's own word"),
}

async function nameOf(chain: Chain, to: Hex): Promise<string> {
  const output = await chain.call({ to, data: NAME }).catch(() => '0x' as Hex)
  const name = returnedText(output, 60) ?? ''
  return name === '' ? 'a collection without a name' : name
}

/** @throws NOT_FOUND if the token does not exist */
async function readOwner(chain: Chain, to: Hex, tokenId: bigint): Promise<Hex> {
  try {
    const data = OWNER_OF.encode([`${tokenId}`])
    const [owner] = OWNER_OF.decode(await chain.call({ to, data }))
    return checksummed(owner as string)
  } catch (cause) {
    if (!(cause instanceof ActionError) || !['REVERTED', 'CHAIN_REFUSED'].includes(cause.code))
      throw cause
    throw new ActionError('NOT_FOUND', `${to} has no token ${tokenId}`, {
      next: 'check the address of the collection, the number, and the network',
      cause,
    })
  }
}

const owner = defineAction({
  name: 'erc721_owner',
  title: 'Owner of an NFT',
  description: 'Reads the owner of a token of an ERC-721 collection.',
  input: z.strictObject({ collection: addressArgument, tokenId: integerInput }),
  output: z.strictObject({ ...shape, tokenId: integerOutput, owner: addressOutput }),
  readOnly: true,
  destructive: false,
  async invoke({ collection, tokenId }, { chain }) {
    const [owner, name] = await Promise.all([
      readOwner(chain, collection, tokenId),
      nameOf(chain, collection),
    ])
    return {
      text: `Token ${tokenId} of "${name}" (${collection}) belongs to ${owner}.`,
      data: { collection, name, tokenId: `${tokenId}`, owner },
    }
  },
})

const balance = defineAction({
  name: 'erc721_balance',
  title: 'Number of NFTs',
  description:
    'Reads how many tokens of an ERC-721 collection an address has, by default the wallet.',
  input: z.strictObject({ collection: addressArgument, owner: addressArgument.optional() }),
  output: z.strictObject({ ...shape, owner: addressOutput, balance: integerOutput }),
  readOnly: true,
  destructive: false,
  async invoke({ collection, owner: given }, { chain, wallet }) {
    const owner = given ?? wallet?.address
    if (owner === undefined) {
      throw new ActionError('INVALID_ARGUMENT', 'owner: is required, as there is no wallet', {
        next: 'name an address',
      })
    }
    const [count, name] = await Promise.all([
      readTokenInteger(chain, collection, BALANCE_OF, owner),
      nameOf(chain, collection),
    ])
    return {
      text: `${owner} has ${count} of "${name}" (${collection}).`,
      data: { collection, name, owner, balance: `${count}` },
    }
  },
})

const transfer = defineAction({
  name: 'erc721_transfer',
  title: 'NFT transfer',
  description:
    'Sends a token of an ERC-721 collection from the wallet to an address, which must be able to receive it. This is irreversible.',
  input: z.strictObject({
    collection: recipientInput.describe('contract of the collection, with its checksum'),
    tokenId: integerInput,
    to: recipientInput,
    ...sending,
  }),
  output: z.strictObject({
    ...submissionShape,
    ...shape,
    tokenId: integerOutput,
    recipient: addressOutput,
  }),
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ collection, tokenId, to, ...options }, context, signal) {
    const { chain } = context
    const from = contextWallet(context).address
    const [owner, name] = await Promise.all([
      readOwner(chain, collection, tokenId),
      nameOf(chain, collection),
    ])
    if (owner !== from) {
      const text = `token ${tokenId} of "${name}" (${collection}) belongs to ${owner}, not to the wallet ${from}`
      throw new ActionError('INSUFFICIENT_FUNDS', text, {
        next: 'choose a token that the wallet owns',
      })
    }
    const data = SAFE_TRANSFER.encode([from, to, `${tokenId}`])
    const submission = await submitAction(context, { to: collection, data }, options, signal)
    return {
      text: `Token ${tokenId} of "${name}" (${collection}) to ${to}. ${submissionText(submission)}`,
      data: { ...submission, value: '0', collection, name, tokenId: `${tokenId}`, recipient: to },
    }
  },
})

/** Non-fungible tokens by collection address. */
export const erc721Provider: ActionProvider = {
  name: 'erc721',
  needs: [],
  actions: [owner, balance, transfer],
}
