import type { Standard } from './standard.ts'

/** Common interfaces of contracts: owners, roles, proxies, upgrades, checks. */
export const CONTRACTS: readonly Standard[] = [
  {
    name: 'Ownable',
    items: `
function owner() view returns (address)
function transferOwnership(address newOwner)
function renounceOwnership()
function pendingOwner() view returns (address)
function acceptOwnership()
event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
error OwnableUnauthorizedAccount(address account)
error OwnableInvalidOwner(address owner)
error Unauthorized()
error NewOwnerIsZeroAddress()
error NotOwner()
error OnlyOwner()`,
  },
  {
    name: 'AccessControl',
    items: `
function DEFAULT_ADMIN_ROLE() view returns (bytes32)
function hasRole(bytes32 role, address account) view returns (bool)
function getRoleAdmin(bytes32 role) view returns (bytes32)
function grantRole(bytes32 role, address account)
function revokeRole(bytes32 role, address account)
function renounceRole(bytes32 role, address callerConfirmation)
function getRoleMember(bytes32 role, uint256 index) view returns (address)
function getRoleMemberCount(bytes32 role) view returns (uint256)
function beginDefaultAdminTransfer(address newAdmin)
function acceptDefaultAdminTransfer()
function cancelDefaultAdminTransfer()
event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)
error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)
error AccessControlBadConfirmation()
error AccessControlInvalidDefaultAdmin(address defaultAdmin)
error AccessControlEnforcedDefaultAdminRules()
error AccessControlEnforcedDefaultAdminDelay(uint48 schedule)
error AccessManagedUnauthorized(address caller)
error AccessManagedRequiredDelay(address caller, uint32 delay)
error AccessManagedInvalidAuthority(address authority)`,
  },
  {
    name: 'Pausable',
    items: `
function paused() view returns (bool)
function pause()
function unpause()
event Paused(address account)
event Unpaused(address account)
error EnforcedPause()
error ExpectedPause()`,
  },
  {
    name: 'ERC-1967',
    items: `
event Upgraded(address indexed implementation)
event AdminChanged(address previousAdmin, address newAdmin)
event BeaconUpgraded(address indexed beacon)
error ERC1967InvalidImplementation(address implementation)
error ERC1967InvalidAdmin(address admin)
error ERC1967InvalidBeacon(address beacon)
error ERC1967NonPayable()
error ERC1967ProxyUninitialized()
error ProxyDeniedAdminAccess()`,
  },
  {
    name: 'proxy',
    items: `
function implementation() view returns (address)
function admin() view returns (address)
function changeAdmin(address newAdmin)
function upgradeTo(address newImplementation)
function upgradeToAndCall(address newImplementation, bytes data) payable
function upgrade(address proxy, address implementation)
function upgradeAndCall(address proxy, address implementation, bytes data) payable
function proxiableUUID() view returns (bytes32)
function UPGRADE_INTERFACE_VERSION() view returns (string)
function initialize()
function initialize(address owner)
error UUPSUnauthorizedCallContext()
error UUPSUnsupportedProxiableUUID(bytes32 slot)
error BeaconInvalidImplementation(address implementation)`,
  },
  {
    name: 'Initializable',
    items: `
event Initialized(uint64 version)
event Initialized(uint8 version)
error InvalidInitialization()
error NotInitializing()
error AlreadyInitialized()`,
  },
  {
    name: 'ERC-2535',
    items: `
function diamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] diamondCut, address init, bytes data)
function facets() view returns ((address facetAddress, bytes4[] functionSelectors)[])
function facetFunctionSelectors(address facet) view returns (bytes4[])
function facetAddresses() view returns (address[])
function facetAddress(bytes4 functionSelector) view returns (address)
event DiamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] diamondCut, address init, bytes data)`,
  },
  {
    name: 'OpenZeppelin',
    items: `
error ReentrancyGuardReentrantCall()
error AddressEmptyCode(address target)
error AddressInsufficientBalance(address account)
error FailedInnerCall()
error FailedCall()
error FailedDeployment()
error InsufficientBalance(uint256 balance, uint256 needed)
error MissingPrecompile(address precompile)
error Create2EmptyBytecode()
error SafeERC20FailedOperation(address token)
error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)
error MathOverflowedMulDiv()
error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)
error SafeCastOverflowedIntDowncast(uint8 bits, int256 value)
error SafeCastOverflowedIntToUint(int256 value)
error SafeCastOverflowedUintToInt(uint256 value)
error StringsInsufficientHexLength(uint256 value, uint256 length)
error StringsInvalidChar()
error StringsInvalidAddressFormat()
error ECDSAInvalidSignature()
error ECDSAInvalidSignatureLength(uint256 length)
error ECDSAInvalidSignatureS(bytes32 s)
error InvalidShortString()
error StringTooLong(string str)
error CheckpointUnorderedInsertion()
error EnumerableMapNonexistentKey(bytes32 key)
error QueueEmpty()
error QueueFull()
error InvalidProof()
error MerkleProofInvalidMultiproof()
error VestingWalletFailed()
error TimelockInvalidOperationLength(uint256 targets, uint256 payloads, uint256 values)
error TimelockInsufficientDelay(uint256 delay, uint256 minDelay)
error TimelockUnexpectedOperationState(bytes32 operationId, bytes32 expectedStates)
error TimelockUnexecutedPredecessor(bytes32 predecessorId)
error TimelockUnauthorizedCaller(address caller)
error ERC2771ForwarderInvalidSigner(address signer, address from)
error ERC2771ForwarderMismatchedValue(uint256 requestedValue, uint256 msgValue)
error ERC2771ForwarderExpiredRequest(uint48 deadline)
error ERC2771UntrustfulTarget(address target, address forwarder)`,
  },
  {
    name: 'Solady',
    items: `
error TransferFailed()
error TransferFromFailed()
error ApproveFailed()
error ETHTransferFailed()
error Reentrancy()
error DeploymentFailed()
error InitializationFailed()
error InvalidSignature()
error FullMulDivFailed()
error MulDivFailed()
error DivFailed()
error MulWadFailed()
error DivWadFailed()
error ExpOverflow()
error Overflow()
error AccountBalanceOverflow()
error TokenDoesNotExist()
error NotOwnerNorApproved()
error TokenAlreadyExists()
error UpgradeFailed()
error UnauthorizedCallContext()`,
  },
  {
    name: 'common',
    items: `
error ZeroAddress()
error ZeroAmount()
error InvalidAmount()
error InvalidAddress()
error InvalidInput()
error InvalidLength()
error LengthMismatch()
error ArrayLengthMismatch()
error Expired()
error DeadlineExpired()
error TransactionDeadlinePassed()
error NotAuthorized()
error Forbidden()
error NotAllowed()
error AlreadyClaimed()
error NotFound()
error SlippageExceeded()
error InsufficientLiquidity()
error InsufficientFunds()
error InsufficientOutputAmount()
error Locked()
error Paused()
error NotImplemented()`,
  },
  {
    name: 'ERC-1271',
    items: `
function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)
function isValidSignature(bytes data, bytes signature) view returns (bytes4)`,
  },
  {
    name: 'Multicall',
    items: `
function multicall(bytes[] data) payable returns (bytes[] results)
function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)
function multicall(bytes32 previousBlockhash, bytes[] data) payable returns (bytes[] results)`,
  },
  {
    name: 'Multicall3',
    items: `
function aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)
function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
function blockAndAggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
function tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
function getBasefee() view returns (uint256)
function getBlockHash(uint256 blockNumber) view returns (bytes32)
function getBlockNumber() view returns (uint256)
function getChainId() view returns (uint256)
function getCurrentBlockCoinbase() view returns (address)
function getCurrentBlockGasLimit() view returns (uint256)
function getCurrentBlockTimestamp() view returns (uint256)
function getEthBalance(address addr) view returns (uint256)
function getLastBlockHash() view returns (bytes32)`,
  },
  {
    name: 'CREATE2 factories',
    items: `
function deploy(uint256 value, bytes32 salt, bytes code)
function deployCreate2(bytes32 salt, bytes initCode) payable returns (address newContract)
function deployCreate2(bytes initCode) payable returns (address newContract)
function deployCreate3(bytes32 salt, bytes initCode) payable returns (address newContract)
function deployCreate(bytes initCode) payable returns (address newContract)
function computeCreate2Address(bytes32 salt, bytes32 initCodeHash) view returns (address computedAddress)
event ContractCreation(address indexed newContract, bytes32 indexed salt)
event ContractCreation(address indexed newContract)
error FailedContractCreation(address emitter)
error FailedContractInitialisation(address emitter, bytes revertData)`,
  },
  {
    name: 'Chainlink',
    items: `
function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
function getRoundData(uint80 roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
function latestAnswer() view returns (int256)
function latestRound() view returns (uint256)
function description() view returns (string)
function version() view returns (uint256)
function aggregator() view returns (address)
event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)
event NewRound(uint256 indexed roundId, address indexed startedBy, uint256 startedAt)`,
  },
  {
    name: 'Governor',
    items: `
function propose(address[] targets, uint256[] values, bytes[] calldatas, string description) returns (uint256 proposalId)
function queue(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash) returns (uint256 proposalId)
function execute(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash) payable returns (uint256 proposalId)
function cancel(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash) returns (uint256 proposalId)
function castVote(uint256 proposalId, uint8 support) returns (uint256 balance)
function castVoteWithReason(uint256 proposalId, uint8 support, string reason) returns (uint256 balance)
function state(uint256 proposalId) view returns (uint8)
function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)
function scheduleBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt, uint256 delay)
function execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt) payable
function executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt) payable
event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)
event ProposalQueued(uint256 proposalId, uint256 etaSeconds)
event ProposalExecuted(uint256 proposalId)
event ProposalCanceled(uint256 proposalId)
event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)
event CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)
event CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)
event Cancelled(bytes32 indexed id)
error GovernorUnexpectedProposalState(uint256 proposalId, uint8 current, bytes32 expectedStates)
error GovernorInsufficientProposerVotes(address proposer, uint256 votes, uint256 threshold)
error GovernorNonexistentProposal(uint256 proposalId)
error GovernorAlreadyCastVote(address voter)
error GovernorDisabledDeposit()
error GovernorOnlyProposer(address account)
error GovernorOnlyExecutor(address account)
error GovernorInvalidVoteType()`,
  },
]
