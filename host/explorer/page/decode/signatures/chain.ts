import type { Standard } from './standard.ts'

const COINS = '(uint256 amount, string denom)[]'
const PERMISSIONS = '(address addr, uint16 version, bool exists)'

/** The precompiles of this chain, and contracts of the protocol. */
export const CHAIN: readonly Standard[] = [
  {
    name: 'bank precompile',
    items: `
function all_balances(address acc) view returns (${COINS} response)
function balance(address acc, string denom) view returns (uint256 amount)
function decimals(string denom) view returns (uint8)
function name(string denom) view returns (string)
function symbol(string denom) view returns (string)
function supply(string denom) view returns (uint256)
function send(address fromAddress, address toAddress, string denom, uint256 amount) returns (bool success)
function sendNative(string toNativeAddress) payable returns (bool success)`,
  },
  {
    name: 'wasmd precompile',
    items: `
function execute(string contractAddress, bytes msg, bytes coins) payable returns (bytes response)
function execute_batch((string contractAddress, bytes msg, bytes coins)[] executeMsgs) payable returns (bytes[] responses)
function instantiate(uint64 codeID, string admin, bytes msg, string label, bytes coins) payable returns (string contractAddr, bytes data)
function query(string contractAddress, bytes req) view returns (bytes response)`,
  },
  {
    name: 'json precompile',
    items: `
function extractAsBytes(bytes input, string key) view returns (bytes response)
function extractAsBytesList(bytes input, string key) view returns (bytes[] response)
function extractAsUint256(bytes input, string key) view returns (uint256 response)
function extractAsBytesFromArray(bytes input, uint16 arrayIndex) view returns (bytes response)`,
  },
  {
    name: 'addr precompile',
    items: `
function associate(string v, string r, string s, string customMessage) returns (string nativeAddress, address evmAddress)
function associatePubKey(string pubKeyHex) returns (string nativeAddress, address evmAddress)
function getSeiAddr(address addr) view returns (string response)
function getEvmAddr(string addr) view returns (address response)`,
  },
  {
    name: 'staking precompile',
    items: `
function delegate(string valAddress) payable returns (bool success)
function redelegate(string srcAddress, string dstAddress, uint256 amount) returns (bool success)
function undelegate(string valAddress, uint256 amount) returns (bool success)
function createValidator(string pubKeyHex, string moniker, string commissionRate, string commissionMaxRate, string commissionMaxChangeRate, uint256 minSelfDelegation) payable returns (bool success)
function editValidator(string moniker, string commissionRate, uint256 minSelfDelegation) returns (bool success)
function unjail() returns (bool success)
function signingInfo(string valAddress) view returns (uint256 startHeight, uint256 missedBlocks, uint256 jailedUntil, bool tombstoned)
function beginBlock() returns (uint256)
function delegation(address delegator, string valAddress) view returns (((uint256 amount, string denom) balance, (string delegator_address, uint256 shares, uint256 decimals, string validator_address) delegation) delegation)
event Delegate(address indexed delegator, string validator, uint256 amount)
event Redelegate(address indexed delegator, string srcValidator, string dstValidator, uint256 amount)
event Undelegate(address indexed delegator, string validator, uint256 amount)
event ValidatorCreated(address indexed creator, string validatorAddress, string moniker)
event ValidatorEdited(address indexed editor, string validatorAddress, string moniker)
event ValidatorUnjailed(address indexed operator, string validatorAddress)`,
  },
  {
    name: 'gov precompile',
    items: `
function vote(uint64 proposalID, int32 option) returns (bool success)
function deposit(uint64 proposalID) payable returns (bool success)
function submitProposal(string proposalJSON) payable returns (uint64 proposalID)`,
  },
  {
    name: 'distribution precompile',
    items: `
function setWithdrawAddress(address withdrawAddr) returns (bool success)
function withdrawDelegationRewards(string validator) returns (bool success)
function withdrawMultipleDelegationRewards(string[] validators) returns (bool success)
function withdrawValidatorCommission() returns (bool success)
function rewards(address delegatorAddress) view returns (((uint256 amount, uint256 decimals, string denom)[] coins, string validator_address)[] rewards, (uint256 amount, uint256 decimals, string denom)[] total)`,
  },
  {
    name: 'oracle precompile',
    items: `
function getExchangeRates() view returns ((string denom, (string exchangeRate, string lastUpdate, int64 lastUpdateTimestamp) oracleExchangeRateVal)[])
function getOracleTwaps(uint64 lookback_seconds) view returns ((string denom, string twap, int64 lookbackSeconds)[])`,
  },
  {
    name: 'pointerview precompile',
    items: `
function getNativePointer(string token) view returns ${PERMISSIONS}
function getCW20Pointer(string addr) view returns ${PERMISSIONS}
function getCW721Pointer(string addr) view returns ${PERMISSIONS}
function getCW1155Pointer(string addr) view returns ${PERMISSIONS}`,
  },
  {
    name: 'pointer precompile',
    items: `
function addNativePointer(string token) payable returns (address ret)
function addCW20Pointer(string cwAddr) payable returns (address ret)
function addCW721Pointer(string cwAddr) payable returns (address ret)
function addCW1155Pointer(string cwAddr) payable returns (address ret)`,
  },
  {
    name: 'solo precompile',
    items: `
function claim(bytes payload) returns (bool response)
function claimSpecific(bytes payload) returns (bool response)`,
  },
  {
    name: 'p256 precompile',
    items: `
function verify(bytes signature) view returns (bytes response)`,
  },
]
