-- {{< fairlane skew policies="fair,uwfq-p" height=400 >}} is a demo in HTML, and elsewhere a picture, which the command
-- fairlane (or what FAIRLANE names) draws. The scenario is the name of one in the catalog, or a file (.json) beside the
-- document. The options are the attributes of the element <fairlane-demo>.

local text = pandoc.utils.stringify
local folder = "fairlane"

local function escaped(value)
  return (value:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- The picture's file, from the document on.
local function picture(scenario, policies)
  local path = folder .. "/" .. pandoc.utils.sha1(scenario .. " " .. policies) .. ".svg"
  local arguments = { "compare", scenario, "--svg", path }
  if policies ~= "" then
    table.insert(arguments, "--policies")
    table.insert(arguments, policies)
  end
  pandoc.system.make_directory(folder, true)
  -- An error has what the command says.
  pandoc.pipe(os.getenv("FAIRLANE") or "fairlane", arguments, "")
  return path
end

local function demo(arguments, options, meta)
  local name = text(arguments[1] or "")
  if name == "" then error("fairlane: give the name of a scenario in the catalog, or a file") end
  local lab = meta.fairlane and meta.fairlane.lab and text(meta.fairlane.lab) or "https://lab.example/"
  local is_file = name:match("%.json$") ~= nil
  local attributes, policies, label, height = {}, "", "Schedules of a shared cluster", "420"
  for key, value in pairs(options) do
    value = text(value)
    if key == "policies" then policies = value end
    if key == "label" then label = value end
    if key == "height" then height = value else table.insert(attributes, { key, value }) end
  end
  -- Tables have no order of their own.
  table.sort(attributes, function(one, other) return one[1] < other[1] end)
  local image = pandoc.Image({ pandoc.Str(label) }, picture(is_file and name or "catalog:" .. name, policies))
  local address = lab
  if not is_file then address = lab .. "#catalog:" .. name .. (policies == "" and "" or "&policies=" .. policies) end
  local inside = pandoc.Plain({ pandoc.Link({ image }, address) })
  if not quarto.doc.is_format("html:js") then return inside end
  quarto.doc.add_html_dependency({
    name = "fairlane-demo",
    version = "1",
    head = '<script defer src="' .. escaped(lab) .. 'fairlane-demo.js"></script>',
  })
  local tag = "<fairlane-demo " .. (is_file and "src" or "scenario") .. '="' .. escaped(name) .. '"'
  for _, attribute in ipairs(attributes) do
    tag = tag .. " " .. attribute[1] .. '="' .. escaped(attribute[2]) .. '"'
  end
  tag = tag .. ' style="display: block; height: ' .. escaped(height) .. 'px">'
  return pandoc.Blocks({ pandoc.RawBlock("html", tag), inside, pandoc.RawBlock("html", "</fairlane-demo>") })
end

return { fairlane = demo }
