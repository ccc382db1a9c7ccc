/**
 * A kind of rule: words in the suites' exception names, and the refusals by rules of that kind. A suite may rename an
 * exception or find a new way to break an old rule. The refusing rule only has to be of a kind that the name
 * mentions. A name may mention several.
 */
interface Family {
  /** Matched against a name in capitals with `_` between words. */
  readonly words: RegExp
  readonly refusal: RegExp
}

/** Refusals of an encoding, whatever it encodes. */
const ENCODING =
  /^rlp\b|rlp: |too (long|short|large) for|leading zero bytes|non-canonical|expected (input|an integer)|larger than available|more than one value|^a field overflows|too (few|many) elements|^not a block|is not 20 bytes/

export const FAMILIES: readonly Family[] = [
  { words: /FUNDS|BALANCE|PRODUCT|AFFORD/, refusal: /insufficientFunds|the cost exceeds 256 bits/ },
  {
    words: /GAS_?LIMIT|ALLOWANCE|INTRINSIC|FLOOR|GAS_USED|GAS_TOO/,
    refusal:
      /gasLimit|gas limit|intrinsic|floorDataGas|a gas limit of \d+|^gas used|insufficientFunds|64-bit|^the block has \d+ bytes/i,
  },
  {
    words: /FEE|GAS_?PRICE|TIP_|_TIP|PRIORITY|BASE_?FEE/,
    refusal: /fee|\btip|^the tip|256-bit|insufficientFunds/i,
  },
  { words: /NONCE/, refusal: /nonce|64-bit/i },
  {
    words: /SIGNATURE|EC_RECOVERY|VRS|CHAIN_?ID|_(V|R|S)(_|$)|SIGNER/,
    refusal: /v, r, s values$|chain id|256-bit/,
  },
  { words: /EOA|SENDER/, refusal: /senderHasCode|v, r, s values$/ },
  {
    words: /PRE_FORK|TYPE_NOT|FORK/,
    refusal: /typeNotSupported|not supported|(missing|not allowed) in \w+$/,
  },
  { words: /BLOB|TYPE_3|VERSIONED/, refusal: /blob|type 3|typeNotSupported|types\.BlobTx/i },
  {
    words: /AUTHORI|TYPE_4|SET_CODE|DELEGAT/,
    refusal: /authorization|setCode|type 4|typeNotSupported|types\.SetCodeTx|common\.Address/i,
  },
  { words: /INIT_?CODE|CONTRACT_CREATION/, refusal: /init ?code|Creation$|common\.Address/i },
  { words: /ADDRESS|_TO(_|$)/, refusal: /common\.Address|20 bytes/ },
  { words: /ACCESS_LIST|STORAGE_KEY/, refusal: /common\.(Address|Hash)|access list/i },
  { words: /RLP|ENCODING|OVERFLOW|FORMAT|STRUCTURE|WRONGVALUE|SIZE|ELEMENTS/, refusal: ENCODING },
  { words: /BLOCK_SIZE|RLP_BLOCK_LIMIT/, refusal: /^the block has \d+ bytes/ },
  { words: /TIMESTAMP|TIME/, refusal: /^timestamp / },
  { words: /NUMBER|PARENT/, refusal: /^number |parent/ },
  {
    words: /DIFFICULTY|_POW|_POS|PARIS|MERGE|IMPOSSIBLE/,
    refusal: /^difficulty |^ommers|(missing|not allowed) in \w+$/,
  },
  { words: /EXTRA_DATA|DAO/, refusal: /^extra data/ },
  { words: /UNCLE|OMMER/, refusal: /ommer/ },
  { words: /BLOOM/, refusal: /logs bloom$/ },
  { words: /ROOT|HASH/, refusal: /^wrong |hash|root/ },
  { words: /WITHDRAWAL/, refusal: /withdrawal/ },
  { words: /REQUEST|DEPOSIT|SYSTEM_CONTRACT|CONSOLIDATION/, refusal: /request|deposit/ },
]

/** Converts a name such as `TR_FeeCapLessThanBlocks` to `TR_FEE_CAP_LESS_THAN_BLOCKS`. */
function capitals(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()
}

/** Returns the kinds that an exception's name mentions, or an empty list if it has no known word. */
export function familiesOf(name: string): readonly Family[] {
  const words = capitals(name)
  return FAMILIES.filter((family) => family.words.test(words))
}
