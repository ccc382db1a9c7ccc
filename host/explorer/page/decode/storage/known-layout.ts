import { keccak256, toBytes } from 'viem'
import { bigintToBytes } from '../../../../base/bytes.ts'
import { lookup } from '../../../../base/lookup.ts'
import type { LayoutType, LayoutVariable, StorageLayout } from './layout.ts'

/** Variables of an ERC-7201 namespace, in order, each in its own slot or packed after the previous one. */
interface Namespace {
  readonly id: string
  readonly variables: readonly string[]
}

/** OpenZeppelin's upgradeable contracts, version 5. */
const NAMESPACES: readonly Namespace[] = [
  { id: 'Initializable', variables: ['uint64 _initialized', 'bool _initializing'] },
  { id: 'Ownable', variables: ['address _owner'] },
  { id: 'Ownable2Step', variables: ['address _pendingOwner'] },
  { id: 'Pausable', variables: ['bool _paused'] },
  { id: 'ReentrancyGuard', variables: ['uint256 _status'] },
  { id: 'Nonces', variables: ['mapping(address => uint256) _nonces'] },
  {
    id: 'EIP712',
    variables: ['bytes32 _hashedName', 'bytes32 _hashedVersion', 'string _name', 'string _version'],
  },
  { id: 'ERC4626', variables: ['address _asset', 'uint8 _underlyingDecimals'] },
  {
    id: 'ERC20',
    variables: [
      'mapping(address => uint256) _balances',
      'mapping(address => mapping(address => uint256)) _allowances',
      'uint256 _totalSupply',
      'string _name',
      'string _symbol',
    ],
  },
  {
    id: 'ERC721',
    variables: [
      'string _name',
      'string _symbol',
      'mapping(uint256 => address) _owners',
      'mapping(address => uint256) _balances',
      'mapping(uint256 => address) _tokenApprovals',
      'mapping(address => mapping(address => bool)) _operatorApprovals',
    ],
  },
  {
    id: 'ERC1155',
    variables: [
      'mapping(uint256 => mapping(address => uint256)) _balances',
      'mapping(address => mapping(address => bool)) _operatorApprovals',
      'string _uri',
    ],
  },
]

/** Single slots: the hash of the name minus one (ERC-1967). */
const PROXY_SLOTS: readonly (readonly [label: string, name: string])[] = [
  ['implementation', 'eip1967.proxy.implementation'],
  ['admin', 'eip1967.proxy.admin'],
  ['beacon', 'eip1967.proxy.beacon'],
]

const MAPPING = /^mapping\(([^ ]+) => (.*)\)$/s

const BYTES: Readonly<Record<string, number>> = {
  address: 20,
  bool: 1,
  uint8: 1,
  uint64: 8,
  uint256: 32,
  bytes32: 32,
  string: 32,
}

/** Adds a type by its label, with its component types. */
function addType(types: Map<string, LayoutType>, label: string): LayoutType {
  const [, key, value] = MAPPING.exec(label) ?? []
  for (const part of [key, value]) if (part !== undefined) addType(types, part)
  const encoding = value !== undefined ? 'mapping' : label === 'string' ? 'bytes' : 'inplace'
  const bytes = value !== undefined ? 32 : (lookup(BYTES, label) ?? 32)
  const type: LayoutType = { encoding, label, bytes, base: undefined, key, value, members: [] }
  types.set(label, type)
  return type
}

function hashOf(text: string): bigint {
  return BigInt(keccak256(toBytes(text)))
}

/** Returns the first slot of a namespace (ERC-7201). */
export function namespaceSlot(id: string): bigint {
  return BigInt(keccak256(bigintToBytes(hashOf(id) - 1n, 32))) & ~0xffn
}

/** Returns variables at slots with the same meaning in every contract: those of proxies and namespaces. */
export function knownLayout(): StorageLayout {
  const types = new Map<string, LayoutType>()
  const variables: LayoutVariable[] = PROXY_SLOTS.map(([label, name]) => {
    addType(types, 'address')
    return { label: `${label} (ERC-1967)`, offset: 0, slot: hashOf(name) - 1n, type: 'address' }
  })
  for (const { id, variables: written } of NAMESPACES) {
    let slot = namespaceSlot(`openzeppelin.storage.${id}`)
    let offset = 0
    for (const each of written) {
      const space = each.lastIndexOf(' ')
      const { bytes, label: type } = addType(types, each.slice(0, space))
      if (offset + bytes > 32) {
        slot++
        offset = 0
      }
      variables.push({ label: `${id}.${each.slice(space + 1)}`, offset, slot, type })
      offset += bytes
    }
  }
  return { variables, types, enums: new Map() }
}

/** Merges a layout with the known one: their type keys and slots do not overlap. */
export function withKnown(layout: StorageLayout | undefined): StorageLayout {
  const known = knownLayout()
  if (layout === undefined) return known
  return {
    variables: [...layout.variables, ...known.variables],
    types: new Map([...known.types, ...layout.types]),
    enums: layout.enums,
  }
}
