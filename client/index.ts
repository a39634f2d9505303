/** The entry point. Nodes import the client only from here. */
export { parseBaseUrl, withScheme } from './requests/address';
export {
	assetMasks,
	assetRecords,
	type Connection,
	type ConnectSettings,
	type EngineConnection,
	type FoundService,
	type PoolConnection,
	type PoolMember,
	type ServerConnection,
	type ServiceConnection,
} from './connection/connection';
export { clock } from './async/clock';
export { listenAhead } from './connection/listenAhead';
export { minimalJob, QUEUE_STATUSES } from './comfyui/jobRecords';
export {
	bareWorkflowPath,
	blueprintChoice,
	type ChosenWorkflow,
	newestSavedFirst,
	readChosenWorkflow,
	templateChoice,
	workflowFolder,
	workflowTitle,
} from './comfyui/library/chosenWorkflow';
export { isOfType, mediaKindOf, OUTPUT_TYPES } from './comfyui/outputKinds';
export { withoutIntermediate } from './comfyui/outputs';
export { connect } from './connect/connect';
export { contentHash, createContentHasher } from './files/contentHash';
export { isRecord, without } from './json/decode';
export { derivedId, isSendableKey } from './text/identifiers';
export {
	ApiError,
	ComfyError,
	ConnectionError,
	type ConnectionTrouble,
	GraphError,
	IntegrityError,
	isNotFound,
	type MissingOnServer,
	NoFittingServerError,
	NoServerError,
	NoResultError,
	type Product,
	type Silence,
	StoppedError,
	UnknownOutcomeError,
	UnknownUserError,
	UnreadableAnswerError,
	UnreadableJobError,
} from './errors/errors';
export { type DeliveryMode, EVENT_TYPES, type EventSelection, type EventType, isSelected, type TriggerEvent } from './events/event';
export { type DispatcherState, EventDispatcher, type ReportedState } from './events/eventDispatcher';
export type { EventSource, SourceListener, Trouble } from './events/eventSource';
export { type EventSourceKind, openPoolEvents, openServerEvents, openServiceEvents } from './events/openEventSource';
export { Throttle } from './events/throttle';
export {
	contentTypeOf,
	extensionOf,
	HEAD_BYTES,
	isWrongKind,
	detectContentType,
	chooseContentType,
	UNKNOWN_TYPE,
} from './files/contentTypes';
export { isCutShort, TAIL_BYTES } from './files/fileEnds';
export { type ImageTraits, readImageTraits } from './files/imageTraits';
export { peek, type PeekedStream } from './files/peek';
export { lastPathSegment, openWebFile, type WebFile, WebFileError, type WebFileFacts, type WebFileOptions } from './files/webFile';
export { findServer, type FoundServer, type ServerSettings } from './connect/findServer';
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
export { replaceInGraph } from './graph/replace/replaceInGraph';
export { findModelFolder, isModelName } from './graph/check/modelFiles';
export { checkPlaceholders, findPlaceholder, findPlaceholderAlone } from './graph/check/placeholders';
export { checkDigits, checkLinks, findDanglingLinks } from './graph/checkGraph';
export { convertWorkflow, listClasses } from './graph/convert/convertWorkflow';
export { followChoices } from './graph/convert/followChoices';
export type { ConversionNote } from './graph/convert/report';
export { resolveDynamicPrompt } from './graph/convert/widgets/dynamicPrompts';
export { type EmbeddedWorkflow, readEmbeddedWorkflow } from './graph/embedded/readEmbeddedWorkflow';
export { convertValue } from './graph/inputs/convertValue';
export { type Definitions, findDefinition, listClassNames } from './graph/inputs/definitions';
export { type FileKind, findUploadVariant, listOfferedFiles, takesBase64, takesNoFile } from './graph/inputs/files';
export { findInput } from './graph/inputs/findInput';
export { type GraphInput, isRandomSeed, listFileInputs, listInputs, listSeeds, type SeedHints } from './graph/inputs/listInputs';
export { listClassesWithPaths, useServerSpelling } from './graph/inputs/serverSpelling';
export { type GraphOutput, listOutputNodes } from './graph/inputs/outputs';
export { removeTexts } from './graph/write/removeTexts';
export { writeValues } from './graph/write/writeValues';
export { applyInputs, findNodesNamed, type InputValues, parseInputValues } from './graph/inputValues';
export { findNodeTitle, isEditorFormat, type ParsedWorkflow, parseGraph, parseWorkflow } from './graph/parseGraph';
export type {
	ConversionPlace,
	ConversionRefusal,
	DanglingLink,
	GraphFault,
	GraphInputFault,
	UnresolvedPlaceholder,
} from './errors/graphFaults';
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
	type JobLog,
	type JobOutput,
	type MadeBy,
} from './ports/job';
export { exactText, parseExact, limitDepth, withNumbersAsText } from './json/exactJson';
export { findLostDigits } from './json/numbers';
export { findJobs, findFirstOutputNode, isListUnsupported, createdOrStartedAt, readAgainIfMissing } from './list/listJobs';
export { BYTES_PER_MB, decodePercent, formatMegabytes, nearMatches } from './text/text';
export { currentObserver, type Decision, type Exchange, withObserver, type Observer } from './log/observer';
export { hasPartnerNodes } from './pool/findMisfits';
export { openPool, type PoolSettings } from './pool/openPool';
export { toPoolError } from './pool/poolServer';
export type {
	AssetOptions,
	AssetRecords,
	AssetStore,
	Download,
	DownloadSource,
	ImageConversions,
	ImageFormat,
	UploadOptions,
	UploadSource,
} from './ports/files';
export type {
	CallOptions,
	FeedListener,
	JobFeed,
	JobQueue,
	JobService,
	PlacementOptions,
	QueueEntry,
	NewJob,
	SubmitOptions,
} from './ports/jobService';
export type { SavedWorkflow, WorkflowLibrary, WorkflowTemplate } from './ports/library';
export type { NodeReplacements, ServerControl } from './ports/serverControl';
export { recognize } from './connect/recognize';
export { comparableFile } from './recovery/compareGraphs';
export { ROUTER_BUCKETS } from './router/errorResponse';
export { connectRouter, type ModelRouter, type RouterConnection, type RouterSettings } from './router/connect';
export { listFormFields } from './router/inputForm/formFields';
export { type FileEncoding, findFileEncoding, parseInputPath, buildInputForm } from './router/inputForm/inputForm';
export { buildRequestBody } from './router/inputForm/requestBody';
export { type SeedField, findSeedsInBody, hasSeedFields, addSeedsToBody, addSeedsToForm } from './router/inputForm/seeds';
export { type FormField, InputError, type FieldGroup } from './router/inputForm/types';
export { isRouterModelId, LONGEST_MODEL_ID } from './router/catalog';
export type { RouterPrefix } from './router/prefix';
export type {
	RouterEstimate,
	RouterInputSchema,
	RouterModel,
	RouterOutput,
	RouterRequest,
	RouterRequestAddress,
	RouterRun,
	RouterRunOptions,
} from './router/types';
export { onAbort } from './async/abort';
export { untilStopped } from './async/stoppableWait';
export type { DispatchResponse, DispatchRequest, HttpDispatcher, OutboundNetwork } from './transport/outboundNetwork';
export { delay } from './async/delay';
export { STOP_LIMIT_MS } from './async/grace';
export { type Outcome, outcomeOf } from './async/outcome';
export { freeMemory, type FreeRequest, freeVram } from './comfyui/freeMemory';
export { ServerContact } from './contact/serverContact';
export { cancelAndConfirm } from './wait/cancelAndConfirm';
export { Cache } from './cache/cache';
export { onePerKey } from './cache/onePerKey';
export type { ServerInfo, ServerMaintenance } from './ports/server';
export { waitForJob, type WaitOptions, type WaitOutcome } from './wait/waitForJob';
