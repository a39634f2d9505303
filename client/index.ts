/** The entry point. Nodes import the client only from here. */
export { parseBaseUrl, withScheme } from './address';
export { assetMasks, assetRecords } from './assetParts';
export { clock } from './clock';
export { listenAhead } from './comfyui/followJob';
export { QUEUE_STATUSES } from './comfyui/jobRecords';
export {
	bareWorkflowPath,
	type ChosenWorkflow,
	newestSavedFirst,
	readChosenWorkflow,
	templateChoice,
	workflowChoice,
	workflowFolder,
	workflowTitle,
} from './comfyui/library/chosenWorkflow';
export { connect } from './connect';
export type { Connection, ConnectSettings, EngineConnection, FoundService, ServiceConnection } from './connection';
export { contentHash, createContentHasher } from './contentHash';
export { isRecord } from './decode';
export { derivedId } from './derivedId';
export {
	ApiError,
	ComfyError,
	ConnectionError,
	type ConnectionTrouble,
	GraphError,
	IntegrityError,
	NoServerError,
	NothingCameError,
	type Product,
	StoppedError,
	UnknownOutcomeError,
	UnreadableAnswerError,
	UnreadableJobError,
} from './errors';
export { type DeliveryMode, EVENT_TYPES, type EventSelection, type EventType, isSelected, type TriggerEvent } from './events/event';
export { type DispatcherState, EventDispatcher } from './events/eventDispatcher';
export type { EventSource, SourceListener, Trouble } from './events/eventSource';
export { type EventSourceKind, openServerEvents, openServiceEvents } from './events/openEventSource';
export { Throttle } from './events/throttle';
export { contentTypeOf, extensionOf, UNKNOWN_TYPE } from './files/contentTypes';
export { HEAD_BYTES, isUnfit, typeOfBytes, typeOfFile } from './files/fileType';
export { openWebFile, type WebFile, WebFileError, type WebFileFacts, type WebFileOptions } from './files/web';
export { findServer, type FoundServer, type ServerSettings } from './findServer';
export {
	type App,
	type AppInput,
	applyInputs,
	appOf,
	type Carried,
	carriedWorkflow,
	checkDigits,
	type CheckedServer,
	type CheckFault,
	checkLinks,
	type CheckNote,
	checkWorkflow,
	classesIn,
	classesToCheck,
	type ConversionNote,
	convertValue,
	convertWorkflow,
	CORE,
	danglingLinks,
	type Definitions,
	drawPrompt,
	fileInputsOf,
	type FileKind,
	findInput,
	followChoices,
	type GraphInput,
	type GraphOutput,
	inputsOf,
	type InputValues,
	isModelName,
	isUiFormat,
	likelyPack,
	missingClassesOf,
	type MissingClass,
	type MissingFromApp,
	type MissingNamed,
	modelFolder,
	nodesNamed,
	nodeTitle,
	offeredFiles,
	outputNodesOf,
	type ParsedWorkflow,
	parseGraph,
	parseInputValues,
	parseWorkflow,
	type SeedSigns,
	seedsOf,
	takesNoFile,
	type WorkflowCheck,
} from './graph';
export type { ConversionPlace, ConversionRefusal, DanglingLink, GraphFault, GraphInputFault } from './graphFaults';
export { isSendableKey } from './idempotencyKey';
export {
	type ApiGraph,
	type ApiGraphNode,
	type Asset,
	type AssetReference,
	type FileReference,
	FORGOTTEN_BY_ENGINE,
	type InterfaceName,
	isTerminal,
	type Job,
	type JobError,
	type JobEvent,
	type JobOutput,
	type MadeBy,
} from './job';
export { exactText, parseExact, withNumbersAsText } from './json/exactJson';
export { lostDigitsIn } from './json/lostDigits';
export { findJobs } from './list/findJobs';
export { listsNothing } from './list/listedJobs';
export { firstOutputNode } from './list/outputNode';
export { madeOrBegunAt } from './list/times';
export { nearMatches } from './nearMatches';
export { currentObserver, type Decision, type Exchange, observed, type Observer } from './observer';
export { onceFor } from './onceFor';
export type {
	AssetMasks,
	AssetOptions,
	AssetRecords,
	AssetStore,
	DownloadSource,
	FeedListener,
	JobFeed,
	JobQueue,
	JobService,
	QueueEntry,
	SavedWorkflow,
	ServerControl,
	Submission,
	SubmitOptions,
	UploadOptions,
	UploadSource,
	WorkflowLibrary,
	WorkflowTemplate,
} from './ports';
export { recognize } from './recognize';
export { ROUTER_BUCKETS } from './router/buckets';
export { connectRouter, type RouterConnection, type RouterSettings } from './router/connect';
export {
	type FilePlace,
	filePlace,
	formBody,
	type FormField,
	formFields,
	InputError,
	type InputFault,
	inputPath,
	inputTree,
	type ObjectNode,
	type SeedField,
	seedsInBody,
	takesSeeds,
	withSeedsInBody,
	withSeedsInForm,
} from './router/inputForm';
export { isRouterModelId, LONGEST_MODEL_ID } from './router/modelId';
export type { RouterPrefix } from './router/prefix';
export type {
	ModelRouter,
	RouterInputSchema,
	RouterModel,
	RouterOutput,
	RouterRequest,
	RouterRequestAddress,
	RouterRun,
	RouterRunOptions,
} from './router/types';
export { shallow } from './shallow';
export { onAbort, untilStopped } from './transport/abort';
export type { CarriedAnswer, CarriedRequest, Carrier } from './transport/carrier';
export { delay } from './transport/delay';
export type { Egress } from './transport/egress';
export { STOP_LIMIT_MS } from './transport/grace';
export { type Outcome, outcomeOf } from './transport/outcome';
export { ServerContact } from './transport/serverContact';
export { cancelAndConfirm } from './wait/cancelAndConfirm';
export { waitForJob, type WaitOptions, type WaitResult } from './wait/waitForJob';
