import type { Standard } from './standard.ts'

const EXACT_INPUT_SINGLE =
  '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)'
const EXACT_OUTPUT_SINGLE =
  '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96)'
const EXACT_INPUT_SINGLE_2 = EXACT_INPUT_SINGLE.replace(' uint256 deadline,', '')
const EXACT_OUTPUT_SINGLE_2 = EXACT_OUTPUT_SINGLE.replace(' uint256 deadline,', '')
const POOL_KEY =
  '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key'

/** Exchanges and lending protocols. */
export const EXCHANGES: readonly Standard[] = [
  {
    name: 'Uniswap V2',
    items: `
function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)
function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)
function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable
function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity)
function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable returns (uint256 amountToken, uint256 amountETH, uint256 liquidity)
function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)
function removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256 amountToken, uint256 amountETH)
function removeLiquidityWithPermit(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline, bool approveMax, uint8 v, bytes32 r, bytes32 s) returns (uint256 amountA, uint256 amountB)
function removeLiquidityETHWithPermit(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline, bool approveMax, uint8 v, bytes32 r, bytes32 s) returns (uint256 amountToken, uint256 amountETH)
function removeLiquidityETHSupportingFeeOnTransferTokens(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256 amountETH)
function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)
function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)
function getAmountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) view returns (uint256 amountOut)
function quote(uint256 amountA, uint256 reserveA, uint256 reserveB) view returns (uint256 amountB)
function factory() view returns (address)
function WETH() view returns (address)
function WETH9() view returns (address)
function createPair(address tokenA, address tokenB) returns (address pair)
function getPair(address tokenA, address tokenB) view returns (address pair)
function allPairs(uint256 index) view returns (address pair)
function allPairsLength() view returns (uint256)
function feeTo() view returns (address)
function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)
function mint(address to) returns (uint256 liquidity)
function burn(address to) returns (uint256 amount0, uint256 amount1)
function skim(address to)
function sync()
function token0() view returns (address)
function token1() view returns (address)
function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)
function price0CumulativeLast() view returns (uint256)
function price1CumulativeLast() view returns (uint256)
function kLast() view returns (uint256)
function uniswapV2Call(address sender, uint256 amount0, uint256 amount1, bytes data)
event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)
event Mint(address indexed sender, uint256 amount0, uint256 amount1)
event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)
event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)
event Sync(uint112 reserve0, uint112 reserve1)`,
  },
  {
    name: 'Uniswap V3',
    items: `
function exactInputSingle(${EXACT_INPUT_SINGLE} params) payable returns (uint256 amountOut)
function exactInputSingle(${EXACT_INPUT_SINGLE_2} params) payable returns (uint256 amountOut)
function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)
function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)
function exactOutputSingle(${EXACT_OUTPUT_SINGLE} params) payable returns (uint256 amountIn)
function exactOutputSingle(${EXACT_OUTPUT_SINGLE_2} params) payable returns (uint256 amountIn)
function exactOutput((bytes path, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)
function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)
function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256 amountOut)
function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256 amountIn)
function unwrapWETH9(uint256 amountMinimum, address recipient) payable
function unwrapWETH9(uint256 amountMinimum) payable
function wrapETH(uint256 value) payable
function refundETH() payable
function sweepToken(address token, uint256 amountMinimum, address recipient) payable
function sweepToken(address token, uint256 amountMinimum) payable
function pull(address token, uint256 value) payable
function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable
function selfPermitIfNecessary(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable
function createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)
function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)
function initialize(uint160 sqrtPriceX96)
function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)
function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256 amount0, int256 amount1)
function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes data) returns (uint256 amount0, uint256 amount1)
function burn(int24 tickLower, int24 tickUpper, uint128 amount) returns (uint256 amount0, uint256 amount1)
function collect(address recipient, int24 tickLower, int24 tickUpper, uint128 amount0Requested, uint128 amount1Requested) returns (uint128 amount0, uint128 amount1)
function flash(address recipient, uint256 amount0, uint256 amount1, bytes data)
function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)
function liquidity() view returns (uint128)
function fee() view returns (uint24)
function tickSpacing() view returns (int24)
function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)
function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet, uint256 feeGrowthOutside0X128, uint256 feeGrowthOutside1X128, int56 tickCumulativeOutside, uint160 secondsPerLiquidityOutsideX128, uint32 secondsOutside, bool initialized)
function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)
function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
function increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint128 liquidity, uint256 amount0, uint256 amount1)
function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256 amount0, uint256 amount1)
function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256 amount0, uint256 amount1)
function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)
function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes data)
function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes data)
function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)
function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)
event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)
event Initialize(uint160 sqrtPriceX96, int24 tick)
event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)
event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)
event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)
event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)
event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)
event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
event DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
event Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)
error T()
error R()
error LOK()
error TLU()
error TLM()
error TUM()
error AI()
error M0()
error M1()
error AS()
error IIA()
error SPL()`,
  },
  {
    name: 'Uniswap V4',
    items: `
function unlock(bytes data) returns (bytes)
function unlockCallback(bytes data) returns (bytes)
function initialize(${POOL_KEY}, uint160 sqrtPriceX96) returns (int24 tick)
function swap(${POOL_KEY}, (bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96) params, bytes hookData) returns (int256 swapDelta)
function modifyLiquidity(${POOL_KEY}, (int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt) params, bytes hookData) returns (int256 callerDelta, int256 feesAccrued)
function modifyLiquidities(bytes unlockData, uint256 deadline) payable
function donate(${POOL_KEY}, uint256 amount0, uint256 amount1, bytes hookData) returns (int256)
function take(address currency, address to, uint256 amount)
function settle() payable returns (uint256 paid)
function sync(address currency)
event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)
event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)
event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)
error CurrencyNotSettled()
error PoolNotInitialized()
error AlreadyUnlocked()
error ManagerLocked()
error CurrenciesOutOfOrderOrEqual(address currency0, address currency1)
error SwapAmountCannotBeZero()
error WrappedError(address target, bytes4 selector, bytes reason, bytes details)`,
  },
  {
    name: 'Universal Router',
    items: `
function execute(bytes commands, bytes[] inputs, uint256 deadline) payable
function execute(bytes commands, bytes[] inputs) payable
error ExecutionFailed(uint256 commandIndex, bytes message)
error V2TooLittleReceived()
error V2TooMuchRequested()
error V3TooLittleReceived()
error V3TooMuchRequested()
error V3InvalidSwap()
error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)
error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested)
error InsufficientToken()
error InsufficientETH()
error InvalidEthSender()
error InvalidCommandType(uint256 commandType)
error ETHNotAccepted()`,
  },
  {
    name: 'Aave V3',
    items: `
function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)
function withdraw(address asset, uint256 amount, address to) returns (uint256)
function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)
function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) returns (uint256)
function liquidationCall(address collateralAsset, address debtAsset, address user, uint256 debtToCover, bool receiveAToken)
function flashLoanSimple(address receiverAddress, address asset, uint256 amount, bytes params, uint16 referralCode)
function flashLoan(address receiverAddress, address[] assets, uint256[] amounts, uint256[] interestRateModes, address onBehalfOf, bytes params, uint16 referralCode)
function executeOperation(address asset, uint256 amount, uint256 premium, address initiator, bytes params) returns (bool)
function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)
event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)
event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)
event Borrow(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint8 interestRateMode, uint256 borrowRate, uint16 indexed referralCode)
event Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens)
event ReserveDataUpdated(address indexed reserve, uint256 liquidityRate, uint256 stableBorrowRate, uint256 variableBorrowRate, uint256 liquidityIndex, uint256 variableBorrowIndex)`,
  },
]
