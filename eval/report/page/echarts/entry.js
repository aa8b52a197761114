// What the report's page needs of Apache ECharts; README.md tells how to build it.
import * as core from 'echarts/core';
import { CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, MarkAreaComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

core.use([CustomChart, HeatmapChart, LineChart, ScatterChart, GridComponent, MarkAreaComponent, TooltipComponent, VisualMapComponent, LabelLayout, SVGRenderer]);
export const { init, version } = core;
