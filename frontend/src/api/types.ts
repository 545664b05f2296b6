// SPDX-License-Identifier: Apache-2.0
// The names under which the page uses the server's schemas. The shapes are generated: see schema.d.ts.
import type { components, paths } from './schema';

type Schemas = components['schemas'];

export type Kind = Schemas['ExperimentOut']['kind'];
export type FactorValue = number | string;
export type Factors = Record<string, FactorValue>;

export type Quantity = Schemas['QuantityOut'];
export type Parameter = Schemas['ParameterOut'];
export type Model = Schemas['ModelOut'];

export type Health = Schemas['Health'];
export type DatasetState = Schemas['DatasetStateOut'];

export type Factor = Schemas['FactorOut'];
export type Glance = Schemas['GlanceOut'];
export type Experiment = Schemas['ExperimentOut'];
export type ExperimentSummary = Schemas['ExperimentSummaryOut'];
export type DeletedExperiment = Schemas['DeletedExperimentOut'];
export type MeasureOf = Schemas['MeasureOut'];
export type CellMeasure = Schemas['SummaryOut'];
export type Cell = Schemas['CellOut'];
export type Cells = Schemas['CellsOut'];
export type CellColumns = Schemas['CellColumnsOut'];

export type Interval = Schemas['Estimate'];
export type Fit = Schemas['FitOut'];
/** The page always says which method it means. */
export type FitRequest = Schemas['FitIn'] & Required<Pick<Schemas['FitIn'], 'method'>>;
export type NonlinearFit = Schemas['NonlinearFitOut'];
export type NonlinearFitRequest = Schemas['NonlinearFitIn'];
export type UserModel = Schemas['UserModelIn'];

export type Problem = Schemas['Problem'];
export type Where = Problem['where'];
export type ErrorBody = Schemas['ErrorBody'];

export type UploadReceipt = Schemas['UploadReceipt'];
export type Run = Schemas['RunOut'];
export type RunDetail = Schemas['RunDetailOut'];
export type RunEvent = Schemas['HistoryOut'];
export type Correction = Schemas['CorrectionIn'];
export type ShortLink = Schemas['LinkOut'];

export type Change = Schemas['ChangeOut'];
export type Sweep = Schemas['SweepOut'];
export type Contents = Schemas['ContentsOut'];
export type Environment = Schemas['EnvironmentOut'];
export type Fact = Schemas['FactOut'];
export type Comparison = Schemas['ComparisonOut'];
export type ComparedCell = Schemas['ComparedCellOut'];
export type Replicates = Schemas['ReplicatesOut'];
export type ReplicatedCell = Schemas['ReplicatedCellOut'];
export type Variance = Schemas['VarianceOut'];
export type ReplicationPlan = Schemas['ReplicationPlanOut'];

export type RecommendationRequest = Schemas['RecommendationIn'];
export type ModelRecommendationRequest = Schemas['ModelRecommendationIn'];
export type Recommendation = Schemas['RecommendationOut'];
export type Candidate = Schemas['CandidateOut'];
export type PolicyTrial = Schemas['TrialOut'];
export type Commands = Schemas['CommandsOut'];
export type Aim = Schemas['AimIn'];
export type Look = Schemas['LookOut'];
export type SeenColumn = Schemas['SeenColumnOut'];
export type TableMapping = Schemas['MappingOut'];
export type UploadedCell = Schemas['UploadedCellOut'];

/** What a list of runs can be asked for. */
export type RunList = NonNullable<paths['/api/experiments/{slug}/runs']['get']['parameters']['query']>;
export type RunState = NonNullable<RunList['state']>;
export type RunWarnings = NonNullable<RunList['warnings']>;
