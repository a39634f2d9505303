/** The entry point. Nodes import the client only from here. */
export { parseBaseUrl, withScheme } from './address';
export { assetMasks, assetRecords } from './assetParts';
export { clock } from './clock';
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
export { QUEUE_WORDS } from './comfyui/statuses';
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
export { contentTypeOf, extensionOf, UNKNOWN_TYPE } from './files/contentTypes';
export { HEAD_BYTES, isUnfit, typeOfBytes, typeOfFile } from './files/fileType';
export { openWebFile, type WebFile, WebFileError, type WebFileFacts, type WebFileOptions } from './files/web';
export { findServer, type FoundServer, type ServerSettings } from './findServer';
export { type App, type AppInput, type MissingFromApp, readApp } from './graph/app/readApp';
export type { MissingFile } from './graph/check/checkInputs';
export {
	type CheckedServer,
	type CheckFault,
	type CheckNote,
	checkWorkflow,
	listClassesToCheck,
	type WorkflowCheck,
} from './graph/check/checkWorkflow';
export { CORE_PACK, groupMissingClasses, guessPack, type MissingClass } from './graph/check/missingClasses';
export { findModelFolder, isModelName } from './graph/check/modelFiles';
export { checkDigits, checkLinks, findDanglingLinks } from './graph/checkGraph';
export { convertWorkflow, listClasses } from './graph/convert/convertWorkflow';
export { followChoices } from './graph/convert/followChoices';
export type { ConversionNote } from './graph/convert/report';
export { resolveDynamicPrompt } from './graph/convert/widgets/dynamicPrompts';
export { type EmbeddedWorkflow, readEmbeddedWorkflow } from './graph/embedded/readEmbeddedWorkflow';
export { convertValue } from './graph/inputs/convertValue';
export type { Definitions } from './graph/inputs/definitions';
export { type FileKind, listOfferedFiles, takesNoFile } from './graph/inputs/files';
export { findInput } from './graph/inputs/findInput';
export { type GraphInput, listFileInputs, listInputs, listSeeds, type SeedHints } from './graph/inputs/listInputs';
export { type GraphOutput, listOutputNodes } from './graph/inputs/outputs';
export { applyInputs, findNodesNamed, type InputValues, parseInputValues } from './graph/inputValues';
export { findNodeTitle, isEditorFormat, type ParsedWorkflow, parseGraph, parseWorkflow } from './graph/parseGraph';
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
export { type News, NEWS_KINDS, type NewsKind } from './news/news';
export { type DeskMemory, NewsDesk } from './news/newsDesk';
export type { NewsListener, NewsSource, Trouble } from './news/newsSource';
export { isSelected, type Selection, type WantedNews } from './news/selection';
export { openServerNews } from './news/serverNews';
export { type NewsSourceKind, openServiceNews } from './news/serviceNews';
export { Throttle } from './news/throttle';
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
export { cancelAndConfirm } from './wait/confirmCancel';
export { listenAhead } from './wait/listenAhead';
export { waitForJob, type WaitOptions, type WaitResult } from './wait/waitForJob';
